/* json.h - reads and writes the lines of provider.c: one JSON value a line, as RFC 8259 has it.
 *
 * A value that is read is a tree of nodes. Numbers keep their digits, because an address has 64 bits and a double has not.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size)
{
    void *made = calloc(1, size ? size : 1);
    if (!made) {
        fputs("provider: no memory is left\n", stderr);
        exit(1);
    }
    return made;
}

/* ---- reading ---- */
enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
enum { JSON_DEPTH = 32 };                  /* bounds the recursion: the protocol nests 5 deep */

typedef struct json {
    enum json_kind kind;
    char *key;                             /* of a member of an object */
    char *text;                            /* of a string, decoded, or of a number */
    struct json *first, *next;             /* the values in this one; the value beside it */
} json;

typedef struct json_reader {
    const char *text;
    size_t at, length;
    const char *wrong;                     /* what is wrong at this byte */
} json_reader;

static void json_free(json *value)
{
    while (value) {
        json *next = value->next;
        json_free(value->first);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

static bool json_fails(json_reader *r, const char *wrong)
{
    r->wrong = wrong;
    return false;
}

/* The byte at hand. At the end it is 0, which no line of JSON has. */
static char json_peek(const json_reader *r)
{
    return r->at < r->length ? r->text[r->at] : '\0';
}

static void json_blanks(json_reader *r)
{
    while (r->at < r->length && memchr(" \t\r\n", r->text[r->at], 4)) r->at++;
}

static bool json_digits(json_reader *r)
{
    size_t from = r->at;
    while (json_peek(r) >= '0' && json_peek(r) <= '9') r->at++;
    return r->at > from || json_fails(r, "a digit is missing");
}

static bool json_number(json_reader *r, char **text)
{
    size_t from = r->at;
    if (json_peek(r) == '-') r->at++;
    if (json_peek(r) == '0') r->at++;      /* and no digit behind it */
    else if (!json_digits(r)) return false;
    if (json_peek(r) == '.') {
        r->at++;
        if (!json_digits(r)) return false;
    }
    if (json_peek(r) == 'e' || json_peek(r) == 'E') {
        r->at++;
        if (json_peek(r) == '+' || json_peek(r) == '-') r->at++;
        if (!json_digits(r)) return false;
    }
    *text = (char *)allocate(r->at - from + 1);
    memcpy(*text, r->text + from, r->at - from);
    return true;
}

/* The four hexadecimal digits behind \u. */
static bool json_unit(json_reader *r, uint32_t *unit)
{
    int i;
    *unit = 0;
    for (i = 0; i < 4; i++, r->at++) {
        char c = json_peek(r);
        uint32_t digit;
        if (c >= '0' && c <= '9') digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f') digit = (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F') digit = (uint32_t)(c - 'A') + 10;
        else return json_fails(r, "a hexadecimal digit is missing");
        *unit = *unit * 16 + digit;
    }
    return true;
}

static size_t utf8_write(char *to, uint32_t c)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (i = n; i-- > 1; c >>= 6) to[i] = (char)(0x80 | (c & 0x3F));
    to[0] = (char)(lead[n] | c);
    return n;
}

/* The length of the character at the beginning of some bytes, or 0 where they are not UTF-8. */
static size_t utf8_length(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)text[0];
    size_t n = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0, i;
    uint32_t c = n == 2 ? lead & 0x1Fu : n == 3 ? lead & 0x0Fu : lead & 0x07u;
    if (n < 2) return n;
    if (n > length) return 0;
    for (i = 1; i < n; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80) return 0;
        c = c << 6 | (next & 0x3Fu);
    }
    if (n == 3 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) return 0;
    if (n == 4 && (c < 0x10000 || c > 0x10FFFF)) return 0;
    return n;
}

/* Decodes what is behind a backslash, to the end of a text of some length. */
static bool json_escape(json_reader *r, char *to, size_t *length)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = json_peek(r);
    const char *known = c ? strchr(escapes, c) : NULL;
    uint32_t unit, low;
    if (known) {
        r->at++;
        to[(*length)++] = meant[known - escapes];
        return true;
    }
    if (c != 'u') return json_fails(r, "no such escape");
    r->at++;
    if (!json_unit(r, &unit)) return false;
    if (unit >= 0xD800 && unit < 0xDC00) { /* the first half of a character beyond 16 bits */
        if (json_peek(r) != '\\') return json_fails(r, "half of a surrogate pair");
        r->at++;
        if (json_peek(r) != 'u') return json_fails(r, "half of a surrogate pair");
        r->at++;
        if (!json_unit(r, &low)) return false;
        if (low < 0xDC00 || low >= 0xE000) return json_fails(r, "half of a surrogate pair");
        unit = 0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00));
    } else if (unit >= 0xDC00 && unit < 0xE000) {
        return json_fails(r, "half of a surrogate pair");
    }
    if (!unit) return json_fails(r, "a string with a zero byte"); /* strings of C end there */
    *length += utf8_write(to + *length, unit);
    return true;
}

static bool json_string(json_reader *r, char **text)
{
    const char *closing = r->text + r->at + 1, *end = r->text + r->length;
    size_t n = 0, bytes;
    while (closing < end && *closing != '"') closing += *closing == '\\' && closing + 1 < end ? 2 : 1;
    if (closing >= end) return json_fails(r, "a string is not closed");
    *text = (char *)allocate((size_t)(closing - (r->text + r->at))); /* decoded it is not longer */
    r->at++;
    while (json_peek(r) != '"') {
        if (json_peek(r) == '\\') {
            r->at++;
            if (!json_escape(r, *text, &n)) return false;
            continue;
        }
        if ((unsigned char)json_peek(r) < 0x20) return json_fails(r, "a control character in a string");
        bytes = utf8_length(r->text + r->at, r->length - r->at);
        if (!bytes) return json_fails(r, "a string is not UTF-8");
        memcpy(*text + n, r->text + r->at, bytes);
        n += bytes;
        r->at += bytes;
    }
    r->at++;
    return true;
}

static bool json_word(json_reader *r, const char *word)
{
    size_t n = strlen(word);
    if (r->length - r->at < n || memcmp(r->text + r->at, word, n)) return json_fails(r, "no JSON value");
    r->at += n;
    return true;
}

static bool json_value(json_reader *r, json **slot, int depth);

/* The values of an array or an object, from its bracket on. */
static bool json_members(json_reader *r, json *of, int depth)
{
    const char closing = of->kind == JSON_OBJECT ? '}' : ']';
    json **slot = &of->first;
    char *key = NULL;
    if (depth == JSON_DEPTH) return json_fails(r, "values are nested too deep");
    r->at++;
    json_blanks(r);
    if (json_peek(r) == closing) {
        r->at++;
        return true;
    }
    for (;; r->at++, slot = &(*slot)->next) {
        bool read;
        json_blanks(r);
        if (of->kind == JSON_OBJECT) {
            if (json_peek(r) != '"') return json_fails(r, "the name of a member is missing");
            read = json_string(r, &key);
            if (read) json_blanks(r);
            if (read && json_peek(r) != ':') read = json_fails(r, "a colon is missing");
            if (!read) {
                free(key);
                return false;
            }
            r->at++;
        }
        read = json_value(r, slot, depth + 1);
        (*slot)->key = key;
        key = NULL;
        if (!read) return false;
        json_blanks(r);
        if (json_peek(r) == closing) break;
        if (json_peek(r) != ',') return json_fails(r, "a comma or a closing bracket is missing");
    }
    r->at++;
    return true;
}

/* Reads a value into a slot. Also what fails is left there, to be freed with the rest. */
static bool json_value(json_reader *r, json **slot, int depth)
{
    json *value = *slot = (json *)allocate(sizeof *value);
    json_blanks(r);
    switch (json_peek(r)) {
    case '{': value->kind = JSON_OBJECT; return json_members(r, value, depth);
    case '[': value->kind = JSON_ARRAY; return json_members(r, value, depth);
    case '"': value->kind = JSON_STRING; return json_string(r, &value->text);
    case 't': value->kind = JSON_TRUE; return json_word(r, "true");
    case 'f': value->kind = JSON_FALSE; return json_word(r, "false");
    case 'n': value->kind = JSON_NULL; return json_word(r, "null");
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        value->kind = JSON_NUMBER;
        return json_number(r, &value->text);
    default: return json_fails(r, "no JSON value");
    }
}

/* Reads a line. Where that fails it returns NULL, and the reader says what is wrong at which byte. */
static json *json_read(json_reader *r, const char *text, size_t length)
{
    json *value = NULL;
    bool read;
    r->text = text;
    r->at = 0;
    r->length = length;
    r->wrong = NULL;
    read = json_value(r, &value, 0);
    if (read) json_blanks(r);              /* where it fails, the reader stays at the byte that is wrong */
    if (read && r->at == r->length) return value;
    if (read) json_fails(r, "more text behind the value");
    json_free(value);
    return NULL;
}

/* The member of an object, or NULL. Of two with one name the last counts, as it does for the other readers of these lines. */
static const json *json_member(const json *object, const char *key)
{
    const json *found = NULL, *member;
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (member = object->first; member; member = member->next)
        if (!strcmp(member->key, key)) found = member;
    return found;
}

/* A number that is whole, not negative, and has at most 64 bits. */
static bool json_whole(const json *value, uint64_t *number)
{
    const char *c;
    *number = 0;
    if (!value || value->kind != JSON_NUMBER) return false;
    for (c = value->text; *c; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (*c < '0' || *c > '9' || *number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Decodes base64, or returns NULL where that is not what the text is. The caller frees the bytes. */
static unsigned char *base64_read(const char *text, size_t *length)
{
    size_t n = strlen(text), padded = 0, i;
    unsigned char *bytes = (unsigned char *)allocate(n / 4 * 3);
    while (padded < 2 && padded < n && text[n - 1 - padded] == '=') padded++;
    *length = n / 4 * 3 - (n ? padded : 0);
    for (i = 0; i < n && n % 4 == 0; i += 4) {
        uint32_t group = 0;
        size_t j;
        for (j = i; j < i + 4; j++) {
            int digit = j >= n - padded ? 0 : base64_digit(text[j]);
            if (digit < 0) break;
            group = group << 6 | (uint32_t)digit;
        }
        if (j < i + 4) break;
        bytes[i / 4 * 3] = (unsigned char)(group >> 16);
        if (i / 4 * 3 + 1 < *length) bytes[i / 4 * 3 + 1] = (unsigned char)(group >> 8 & 0xFF);
        if (i / 4 * 3 + 2 < *length) bytes[i / 4 * 3 + 2] = (unsigned char)(group & 0xFF);
    }
    if (i == n) return bytes;
    free(bytes);
    return NULL;
}

/* ---- writing ---- */
typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void text_bytes(text *t, const char *bytes, size_t n)
{
    if (t->room - t->length < n) {
        size_t room = 2 * t->room + n + 256;
        char *moved = (char *)realloc(t->bytes, room);
        if (!moved) {
            fputs("provider: no memory is left\n", stderr);
            exit(1);
        }
        t->bytes = moved;
        t->room = room;
    }
    memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
}

static void text_add(text *t, const char *words)
{
    text_bytes(t, words, strlen(words));
}

static void text_number(text *t, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    text_add(t, digits);
}

static void text_string(text *t, const char *s)
{
    char escaped[8];
    text_add(t, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') {
            text_add(t, "\\");
            text_bytes(t, s, 1);
        } else if ((unsigned char)*s < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*s);
            text_add(t, escaped);
        } else {
            text_bytes(t, s, 1);
        }
    }
    text_add(t, "\"");
}

static void text_base64(text *t, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t i;
    text_add(t, "\"");
    for (i = 0; i < n; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        char four[4];
        four[0] = digits[group >> 18];
        four[1] = digits[group >> 12 & 63];
        four[2] = i + 1 < n ? digits[group >> 6 & 63] : '=';
        four[3] = i + 2 < n ? digits[group & 63] : '=';
        text_bytes(t, four, 4);
    }
    text_add(t, "\"");
}

#endif
