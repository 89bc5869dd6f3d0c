package godoc

import (
	"strings"
	"unicode"
)

// abbreviations spells out the abbreviations that Go code conventionally uses in
// names. Who asks in prose says "directory", not "dir". The list is of Go's naming
// habits and knows nothing of any question.
var abbreviations = map[string]string{
	"addr": "address", "alloc": "allocate", "arg": "argument", "args": "arguments", "atoi": "string to integer", "attr": "attribute",
	"auth": "authentication", "buf": "buffer", "cert": "certificate", "char": "character", "chan": "channel", "chdir": "change directory",
	"chmod": "change mode", "chown": "change owner", "cmd": "command", "col": "column", "cond": "condition", "config": "configuration",
	"conn": "connection", "const": "constant", "conv": "conversion", "ctx": "context", "db": "database", "dec": "decode", "decl": "declaration",
	"dir": "directory", "dirs": "directories", "dst": "destination", "elem": "element", "enc": "encode", "env": "environment", "err": "error",
	"eval": "evaluate", "exec": "execute", "expr": "expression", "ext": "extension", "fmt": "format", "fs": "file system", "func": "function",
	"gid": "group", "hdr": "header", "id": "identifier", "idx": "index", "info": "information", "init": "initialize", "int": "integer",
	"io": "input output", "iter": "iterator", "len": "length", "lib": "library", "lit": "literal", "max": "maximum", "min": "minimum",
	"mkdir": "make directory", "msg": "message", "mul": "multiply", "num": "number", "op": "operation", "os": "operating system",
	"param": "parameter", "pid": "process", "pkg": "package", "pos": "position", "priv": "private", "prog": "program", "proc": "process",
	"ptr": "pointer", "pub": "public", "rand": "random", "recv": "receive", "ref": "reference", "regexp": "regular expression",
	"rem": "remainder", "repl": "replacement", "req": "request", "resp": "response", "rmdir": "remove directory", "sep": "separator",
	"seq": "sequence", "sig": "signal", "sqrt": "square root", "src": "source", "stmt": "statement", "str": "string", "strconv": "string conversion",
	"struct": "structure", "sub": "subtract", "sync": "synchronization", "sys": "system", "temp": "temporary", "tmp": "temporary",
	"tok": "token", "trunc": "truncate", "tx": "transaction", "uid": "user", "val": "value", "var": "variable", "vec": "vector",
}

// Spell writes a symbol in words: identifiers are cut where their case changes
// and conventional abbreviations are followed by what they stand for.
// "MkdirAll" becomes "mkdir make directory all".
func Spell(symbol string) string {
	var words []string
	for _, part := range strings.FieldsFunc(symbol, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, w := range cutCase(part) {
			w = strings.ToLower(w)
			words = append(words, w)
			if long := abbreviations[w]; long != "" {
				words = append(words, long)
			}
		}
	}
	return strings.Join(words, " ")
}

// cutCase cuts an identifier into words: "ServeHTTPFile" is Serve, HTTP, File.
func cutCase(identifier string) []string {
	var words []string
	rs := []rune(identifier)
	start := 0
	for i := 1; i < len(rs); i++ {
		rises := unicode.IsUpper(rs[i]) && !unicode.IsUpper(rs[i-1])
		ends := unicode.IsUpper(rs[i]) && i+1 < len(rs) && unicode.IsLower(rs[i+1])
		if rises || ends {
			words = append(words, string(rs[start:i]))
			start = i
		}
	}
	return append(words, string(rs[start:]))
}

// Words is the symbol in words. The import path keeps its abbreviations: they are
// the name of the package, and spelt out they would be in every one of its symbols.
func (e Entry) Words() string {
	path := strings.ReplaceAll(e.Package, "/", " ")
	return strings.TrimSpace(path + " " + Spell(strings.TrimPrefix(e.Symbol, e.Package)))
}

// Summary is the first sentence of the documentation.
func (e Entry) Summary() string {
	line, _, _ := strings.Cut(e.Doc, "\n")
	if i := strings.Index(line, ". "); i >= 0 {
		return line[:i+1]
	}
	return line
}

// Text is the entry as one text to index: the symbol in words, the signature, the
// first sentence, and the documentation with that sentence again. By convention it
// says what the symbol is for, and in a bag of words a field that matters more than
// the rest counts more when it is repeated (Robertson, Zaragoza and Taylor 2004).
// The deprecation notice is not part of it, see the package comment.
func (e Entry) Text() string {
	return e.Words() + "\n" + e.Signature + "\n" + e.Summary() + "\n\n" + e.Doc
}
