package main

// become makes the model the mutant of that number, in the program of all mutants: there another file stands in the place of
// this one.
func become(int) {}
