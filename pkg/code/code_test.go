package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// check states what holds for the symbols of any text: they are in order, do
// not overlap, stay inside what encloses them, and leave out blanks and
// comments only.
func check(t *testing.T, language, text string) []Symbol {
	t.Helper()
	symbols := Parse(language, text)
	checkRun(t, text, symbols, 0, len(text))
	return symbols
}

func checkRun(t *testing.T, text string, symbols []Symbol, from, to int) {
	t.Helper()
	lines := 1 + strings.Count(text, "\n")
	for _, s := range symbols {
		if s.Start < from || s.End <= s.Start || s.End > to {
			t.Fatalf("%s %q is at %d to %d, its place is %d to %d of %q", s.Kind, s.Name, s.Start, s.End, from, to, text)
		}
		if s.Line < 1 || s.Line > lines || s.EndLine < 1 || s.EndLine > lines {
			t.Fatalf("%s %q is in lines %d to %d of %d", s.Kind, s.Name, s.Line, s.EndLine, lines)
		}
		checkRun(t, text, s.Members, s.Start, s.End)
		from = s.End
	}
}

// outline prints symbols as a test can state them: the kind, name and line of
// each, statements left out, members in brackets.
func outline(symbols []Symbol) string {
	var parts []string
	for _, s := range symbols {
		inner := outline(s.Members)
		if s.Kind == Statement && inner == "" {
			continue
		}
		part := fmt.Sprintf("%s %s:%d", s.Kind, s.Name, s.Line)
		if inner != "" {
			part += " [" + inner + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func TestOutlines(t *testing.T) {
	for _, c := range []struct{ name, language, text, want string }{
		{"go", "go", "package a\n\nimport \"fmt\"\n\n// T is\ntype T struct{}\n\nfunc (t T) M() {}\n\nfunc F() {}\n", "import :3, struct T:6, method M:8, function F:10"},
		{"go broken", "go", "package a\n\nfunc F() {\n\tx := \n}\n\nfunc G() {}\n", "import :1, function F:3, function G:7"},
		{"python", "python", "import os\n@dec(\n 1)\nasync def f(a,\n  b):\n    '''\ndef no(): pass\n'''\nclass A:\n    def m(self): pass\n    @p\n    def n(self):\n        def inner(): pass\n", "import :1, function f:4, class A:9 [method m:10, method n:12]"},
		{"python f-string", "python", "x = f\"{d[\"a\"]}\"\ndef g(): return f'{a!r:{w}}'\n", "var x:1, function g:2"},
		{"python condition", "python", "try:\n    import a\nexcept ImportError:\n    def a(): pass\n", "statement :1 [import :2, function a:4]"},
		{"java", "java", "import a.B;\n@A(x = \"}\")\npublic class C<T> extends D {\n  int x = f(y -> { return 1; });\n  /** doc { */\n  @Override public <X> void m(int a) throws E { if (a) {} }\n  abstract int n();\n  enum E { A { void q() {} }, B; int z() { return '}'; } }\n}\n",
			"import :1, class C:3 [var x:4, method m:6, method n:7, enum E:8 [method z:8]]"},
		{"java text block", "java", "class A { String s = \"\"\"\n  } \" {\n  \"\"\"; void m() {} }", "class A:1 [var s:1, method m:3]"},
		{"csharp", "csharp", "using X;\nnamespace N {\n  [A] class C {\n    string p = $\"{f(\"}\")} {{\"; int Q { get; set; } = 5;\n    string v = @\"\"\"}\";\n    void M() => F(\"{\");\n    C(int a) : base(a) { }\n  }\n}\n",
			"import :1, namespace N:2 [class C:3 [var p:4, var Q:4, var v:5, method M:6, method C:7]]"},
		{"c", "c", "#include <a.h>\n#define M(x) { x\nstruct s { int a; };\ntypedef struct t { int b; } T;\nstatic int\nf(a, b)\n int a; char *b;\n{ return '{'; }\n#ifdef A\nint g(int a) {\n#else\nint g(void) {\n#endif\n}\nint h(void);\n",
			"import :1, macro M:2, struct s:3 [var a:3], type T:4 [struct t:4 [var b:4]], function f:6, function g:10, var h:15"},
		{"c dead code", "c", "#if 0\nit's { dead\n#endif\nint f(void) {}\n", "function f:4"},
		{"cpp", "cpp", "namespace a::b {\ntemplate <class T = X<1>>\nclass C final : public D {\npublic:\n  C() : x{1}, y(2) { }\n  bool operator()(int) const { return true; }\n  ~C() {}\n};\n}\nauto s = R\"x(}\" )\")x\";\nint C::f() const noexcept { return 1'000; }\nMACRO(x)\nint g() {}\n",
			"namespace b:1 [class C:3 [method C:5, method operator():6, method ~C:7]], var s:10, method f:11, function g:13"},
		{"rust", "rust", "use a::{b, c};\n#[derive(A)]\npub struct S<'a> { x: &'a str }\nimpl<'a> T for S<'a> {\n  fn m(&self) -> char { '{' }\n}\n/* a /* b */ } */\nconst fn f() { r#\"}\"#; }\nmacro_rules! m { () => {} }\n",
			"import :1, struct S:3, impl S:4 [method m:5], function f:8, macro m:9"},
		{"javascript", "javascript", "import a from 'a';\nconst r = /[/{]'/g, f = (a) => { return `${b(`}`)}` }\nclass A extends B {\n  #p = 1\n  static async *g() {}\n  get x() { return 1 }\n}\nexport default function () { return <p>Don't {x}</p> }\nA.prototype.m = function () {}\n;(function () { function inner() {} })()\n",
			"import :1, const r:2, function f:2, class A:3 [var p:4, method g:5, method x:6], function :8, method m:9, module :10 [function inner:10]"},
		{"typescript", "typescript", "@D() export abstract class A<T = {}> {\n  m(): { a: string } { return {a: '}'} }\n  abstract n(): void\n  private o = async () => {}\n}\ninterface I { p: string; q(): void }\ntype U =\n  | A\n  | B\ndeclare module 'x' { function f(): void }\nfunction g(a: string): void\nfunction g(a: any): { b: 1 } {}\n",
			"class A:1 [method m:2, method n:3, method o:4], interface I:6 [var p:6, method q:6], type U:7, namespace x:10 [function f:10], function g:11, function g:12"},
		{"kotlin", "kotlin", "package a\nimport b.C\n\n@X\ndata class P(val a: Int) {\n    val s: String\n        get() = \"${f(\"}\")}\"\n    companion object {\n        fun of() = P(1)\n    }\n    fun `it works`() {}\n}\nfun String.ext(): Int =\n    1\nenum class E { A, B; fun m() {} }\n",
			"import :1, import :2, class P:5 [const s:6, class Companion:8 [method of:9], method `it works`:11], function ext:13, enum E:15"},
		{"swift", "swift", "import A\nstruct S {\n  let a = \"\\(f(\"}\"))\"\n  init?(x: Int) { }\n  static func == (a: S, b: S) -> Bool { true }\n}\nextension S: P {\n  func m() {}\n}\n",
			"import :1, struct S:2 [const a:3, method init:4, method ==:5], impl S:7 [method m:8]"},
		{"scala", "scala", "import a._\nobject O {\n  def f(x: Int): String = s\"${g(\"}\")}\"\n  val c = '{'\n}\ncase class P(a: Int)\ntrait T { def m: Int }\n", "import :1, class O:2 [method f:3, const c:4], class P:6, trait T:7 [method m:7]"},
		{"php", "php", "<h1>{ don't</h1>\n<?php\nnamespace A;\nuse B\\{C, D};\n#[Attr]\nabstract class E {\n  const X = 1;\n  public function m(): ?int { return \"{$a['}']}\"; }\n  abstract function n();\n}\nif (!function_exists('f')) {\n  function f() { return <<<EOT\n}\n  EOT; }\n}\n?>\n<p>it's</p>\n",
			"namespace A:3, import :4, class E:6 [const X:7, method m:8, method n:9], statement :11 [function f:12]"},
		{"ruby", "ruby", "require 'x'\nclass A\n  def m(x) = 1\nend\ndef f\n  return 1 if x\n  [1].each do |a|\n    while a do\n    end\n  end\n  s = <<~EOS\n    end\n  EOS\n  h = {end: 1, \"end\" => /end/}\nend\nputs 1\n", ""},
		{"lua", "lua", "local function f(a)\n  if a then return [[ end ]] end\n  for i = 1, 2 do end\n  repeat until x -- end\nend\nfunction M.g() end\nx = 1\n", "function f:1, function M.g:6"},
		{"shell", "shell", "#!/bin/sh\nf() {\n  case $1 in\n    a) echo \"}\" ;;\n  esac\n  cat <<EOF\n}\nEOF\n}\nif x; then\n  y\nfi\nfunction g { :; }\n", "function f:2, function g:13"},
		{"sql", "sql", "-- a\nCREATE TABLE t (a text DEFAULT ';');\nCREATE FUNCTION f() RETURNS int AS $$ BEGIN; END; $$;\nSELECT 1;\n", "struct t:2, function f:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(check(t, c.language, c.text)); got != c.want && c.want != "" {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Of the languages that are only to be cut between statements: no symbol ends
// inside one.
func TestStatementsStayWhole(t *testing.T) {
	ruby := "def f\n  return 1 if x\n  [1].each do |a|\n    while a do\n    end\n  end\n  s = <<~EOS\n    end\n  EOS\n  h = {end: 1, \"end\" => /end/}\nend\n"
	for language, parts := range map[string][]string{
		"ruby":  {"require 'x'\n", ruby, "x = if y\n  1\nelse\n  2\nend\n", "puts %w[a end b],\n  1\n"},
		"lua":   {"local t = {\n  1,\n}\n", "if a then\n  while b do\n  end\nend\n"},
		"sql":   {"INSERT INTO a VALUES ('x;\ny');\n", "CREATE PROCEDURE p()\nBEGIN\n  IF a THEN SELECT 1; END IF;\n  SELECT 2;\nEND;\n", "SELECT 1;\n"},
		"shell": {"for i in a b; do\n  echo $i\ndone\n", "x=$(\n  y\n)\n", "a \\\n  b\n", "cat <<'E'\nfi\nE\n"},
	} {
		var got []string
		text := strings.Join(parts, "")
		for _, s := range check(t, language, text) {
			got = append(got, text[s.Start:s.End])
		}
		if strings.Join(got, "|") != strings.Join(parts, "|") {
			t.Errorf("%s: %q\nwant %q", language, got, parts)
		}
	}
}

func TestCommentsBelongToWhatFollows(t *testing.T) {
	text := "package a; // trailing\n\n/* license */\n\n/** doc */\n// more\n@A\nclass C {} // end\n\nclass D {}\n"
	symbols := check(t, "java", text)
	if got, want := text[symbols[1].Start:symbols[1].End], "/** doc */\n// more\n@A\nclass C {} // end\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHostileTextIsTaken(t *testing.T) {
	for _, piece := range []string{"{", "}", "(", "`${", "\"", "<a ", "<a>", "/[", "#", "r#", "<<<A\n", "@", "a(", "/*", "f\"{", "#if x\n", "template<", "def f(", "<", "\\\n", "=>", "? x:", "'", "$\"{", "[["} {
		text := strings.Repeat(piece, 1<<14/len(piece))
		for _, language := range Languages() {
			check(t, language, text)
		}
	}
}

// Nested far deeper than the stack would hold if each level took a part of it,
// or else walked again from each level.
func TestDeepNestingIsTaken(t *testing.T) {
	for _, nest := range []struct{ language, open, close string }{
		{"javascript", "<a>{", "}</a>"}, {"javascript", "<a b={", "}/>"}, {"javascript", "${<", ""}, {"javascript", "`${", "}`"}, {"javascript", "a=", ""},
		{"javascript", "/[\\\n", ""}, {"typescript", "@a\n", ""}, {"typescript", "class A {", "}"}, {"rust", "fn f() {", "}"}, {"php", "if (a) {", "}"},
		{"php", "//?><?php ", ""}, {"php", "<<<", ""}, {"ruby", "1<<", ""}, {"swift", `#"`, ""}, {"c", "#define a /**/", ""}, {"csharp", `$"{`, `}"`}, {"go", "func() {", "}"},
	} {
		const n = 20000
		prefix := map[string]string{"php": "<?php ", "go": "package a\nvar x = "}[nest.language]
		check(t, nest.language, prefix+strings.Repeat(nest.open, n)+strings.Repeat(nest.close, n))
	}
}

func TestTooManySymbolsAreNone(t *testing.T) {
	for language, line := range map[string]string{"python": "a=1\n", "javascript": "a=1\n"} {
		if symbols := Parse(language, strings.Repeat(line, maxSymbols+2)); symbols != nil {
			t.Errorf("%s: %d symbols", language, len(symbols))
		}
	}
	long := "class " + strings.Repeat("a", maxName+1) + " {}"
	if symbols := Parse("java", long); len(symbols) != 1 || symbols[0].Name != "" {
		t.Errorf("a class with a very long name is %d symbols", len(symbols))
	}
}

func FuzzParse(f *testing.F) {
	examples, _ := filepath.Glob("../../testdata/examples/*")
	for _, name := range examples {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(string(data))
		}
	}
	f.Add("#if a\nint f() {\n#else\n(\n#endif\n}}")
	f.Add("x = `a${ {b} }` <T a={<b/>}>don't</T>\nclass A { #x = 1; get [y]() {} }")
	f.Add("<?php class A { function b() { return <<<X\n  X; } } ?> <b>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range Languages() {
			check(t, language, text)
		}
	})
}

func ExampleParse() {
	text := "# Prices.\nclass Price:\n    def with_tax(self):\n        return self.net * 1.21\n"
	for _, symbol := range Parse("python", text) {
		fmt.Println(symbol.Kind, symbol.Name, symbol.Line)
		for _, member := range symbol.Members {
			fmt.Println(" ", member.Kind, member.Name, member.Line)
		}
	}
	// Output:
	// class Price 2
	//   method with_tax 3
}
