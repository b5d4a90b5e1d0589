package code

// A language is what the scanner of languages with braces must know of one.
type language struct {
	// Lexing.
	nestedComments bool
	hashComments   bool // "#" opens a comment, but not "#["
	preprocessor   bool
	directives     string // the only ones; "" for any line that starts with "#"
	digitQuotes    bool   // 1'000
	atWords        bool   // @name is a name
	hashbang       bool
	noSlashes      bool
	markup         bool // code stands between <?php and ?>
	quotes         []quote
	special        func(l *lexer, c byte) bool

	// Statements.
	newlines bool // one may end with its line
	typed    bool // a function is known by its parameters alone: int f(int x) {…}

	// Definitions.
	keywords  map[string]string // what a keyword defines
	modifiers string            // what may stand before
	imports   string            // words that open an import
	bodies    string            // kinds whose body has members
	values    string            // keywords whose definition goes on after braces, to ";"
}

var (
	double = quote{open: `"`, close: `"`}
	single = quote{open: "'", close: "'"}
)

const allBodies = Class + " " + Interface + " " + Struct + " " + Union + " " + Enum + " " + Trait + " " + Impl + " " + Namespace + " " + Module

var java = &language{
	quotes:    []quote{{open: `"""`, close: `"""`, lines: true}, double, single},
	typed:     true,
	keywords:  map[string]string{"class": Class, "interface": Interface, "enum": Enum, "record": Class, "module": Module},
	modifiers: "public protected private static final abstract sealed non strictfp default synchronized native transient volatile open",
	imports:   "import package",
	bodies:    allBodies,
}

var csharp = &language{
	preprocessor: true, atWords: true,
	special: csharpString,
	quotes: []quote{
		{open: `$@"`, close: `"`, raw: true, doubled: true, lines: true, expression: "{"},
		{open: `@$"`, close: `"`, raw: true, doubled: true, lines: true, expression: "{"},
		{open: `@"`, close: `"`, raw: true, doubled: true, lines: true},
		{open: `$"`, close: `"`, expression: "{"},
		double, single,
	},
	typed:     true,
	keywords:  map[string]string{"class": Class, "interface": Interface, "enum": Enum, "struct": Struct, "record": Class, "namespace": Namespace, "delegate": Type},
	modifiers: "public protected private internal static sealed abstract partial readonly ref unsafe new virtual override async extern file required volatile",
	imports:   "using extern",
	bodies:    allBodies,
}

var c_ = &language{
	preprocessor: true,
	quotes:       []quote{double, single},
	typed:        true,
	keywords:     map[string]string{"struct": Struct, "union": Union, "enum": Enum},
	modifiers:    "static const extern inline volatile register _Noreturn __inline __inline__ __extension__ __restrict typedef",
	bodies:       Struct + " " + Union,
}

var cpp = &language{
	preprocessor: true, digitQuotes: true,
	special:   cppString,
	quotes:    []quote{double, single},
	typed:     true,
	keywords:  map[string]string{"struct": Struct, "union": Union, "enum": Enum, "class": Class, "namespace": Namespace, "concept": Type},
	modifiers: c_.modifiers + " inline constexpr consteval constinit virtual explicit friend mutable thread_local export",
	imports:   "import",
	bodies:    Class + " " + Struct + " " + Union + " " + Namespace,
}

var scriptQuotes = []quote{double, single, {open: "`", close: "`", lines: true, expression: "${"}}

var javascript = &language{
	hashbang: true,
	special:  scriptLiteral,
	quotes:   scriptQuotes,
	newlines: true,
	keywords: map[string]string{"function": Function, "class": Class},
	imports:  "import",
	bodies:   allBodies,
}

var typescript = &language{
	hashbang: true,
	special:  scriptLiteral,
	quotes:   scriptQuotes,
	newlines: true,
	keywords: map[string]string{"function": Function, "class": Class, "interface": Interface, "enum": Enum, "namespace": Namespace, "module": Namespace, "type": Type},
	imports:  "import",
	bodies:   allBodies,
}

// golang serves Go that go/parser does not take.
var golang = &language{
	quotes:   []quote{double, single, {open: "`", close: "`", raw: true, lines: true}},
	newlines: true,
	keywords: map[string]string{"func": Function, "type": Type, "const": Const, "var": Var},
	imports:  "import package",
}

var rust = &language{
	nestedComments: true, hashbang: true,
	special: rustString,
	quotes:  []quote{{open: `"`, close: `"`, lines: true}},
	keywords: map[string]string{"fn": Function, "struct": Struct, "enum": Enum, "union": Union, "trait": Trait, "impl": Impl, "mod": Module,
		"type": Type, "const": Const, "static": Var, "macro_rules": Macro, "macro": Macro, "use": Import},
	modifiers: "pub unsafe async extern default auto const",
	imports:   "use",
	bodies:    Trait + " " + Impl + " " + Module,
	values:    "const static type use",
}

var kotlin = &language{
	nestedComments: true, hashbang: true,
	quotes:   []quote{{open: `"""`, close: `"""`, lines: true, raw: true, expression: "${"}, {open: `"`, close: `"`, expression: "${"}, single, {open: "`", close: "`", raw: true, name: true}},
	newlines: true,
	keywords: map[string]string{"fun": Function, "class": Class, "interface": Interface, "object": Class, "typealias": Type, "val": Const, "var": Var, "constructor": Method},
	modifiers: "public private protected internal open abstract final sealed data enum inner value inline annotation companion override suspend tailrec operator infix external " +
		"const lateinit vararg noinline crossinline reified expect actual fun",
	imports: "import package",
	bodies:  Class + " " + Interface,
}

var swift = &language{
	nestedComments: true, hashbang: true, preprocessor: true,
	directives: "if elseif else endif warning error sourceLocation",
	special:    swiftString,
	quotes:     []quote{{open: `"""`, close: `"""`, lines: true, expression: `\(`}, {open: `"`, close: `"`, expression: `\(`}, {open: "`", close: "`", raw: true, name: true}},
	newlines:   true,
	keywords: map[string]string{"func": Function, "init": Method, "deinit": Method, "subscript": Method, "class": Class, "struct": Struct, "enum": Enum, "protocol": Interface,
		"extension": Impl, "actor": Class, "typealias": Type, "associatedtype": Type, "let": Const, "var": Var, "macro": Macro},
	modifiers: "public private fileprivate internal open package static class final override mutating nonmutating required convenience lazy weak unowned dynamic optional indirect " +
		"prefix postfix infix async nonisolated isolated distributed borrowing consuming rethrows",
	imports: "import",
	bodies:  allBodies,
}

var scala = &language{
	nestedComments: true, hashbang: true,
	special: scalaChar,
	quotes: []quote{{open: `"""`, close: `"""`, lines: true, raw: true, expression: "${", prefixed: true}, {open: `"`, close: `"`, expression: "${", prefixed: true},
		{open: "`", close: "`", raw: true, name: true}},
	newlines:  true,
	keywords:  map[string]string{"def": Function, "class": Class, "object": Class, "trait": Trait, "enum": Enum, "type": Type, "val": Const, "var": Var, "given": Const, "package": Namespace},
	modifiers: "private protected implicit lazy final sealed abstract override case package inline opaque open transparent infix erased",
	imports:   "import",
	bodies:    allBodies,
}

var php = &language{
	hashComments: true, markup: true,
	special:   heredoc,
	quotes:    []quote{{open: `"`, close: `"`, lines: true, expression: "{$"}, {open: "'", close: "'", lines: true}, {open: "`", close: "`", lines: true}},
	keywords:  map[string]string{"function": Function, "class": Class, "interface": Interface, "trait": Trait, "enum": Enum, "namespace": Namespace, "const": Const, "use": Import},
	modifiers: "public protected private static final abstract readonly var",
	imports:   "use",
	bodies:    allBodies,
	values:    "const use",
}
