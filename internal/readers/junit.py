"""Holds a report against the schema of JUnit reports beside this file: junit.py REPORT. Prints each error, and ends with 1 if there is any."""
import pathlib
import sys

import xmlschema

schema = xmlschema.XMLSchema(pathlib.Path(__file__).with_name("junit-10.xsd"))
errors = list(schema.iter_errors(sys.argv[1]))
for error in errors:
    print(f"{error.path}: {error.reason}")
sys.exit(bool(errors))
