package detect

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct{ in, text, note string }{
		"ascii":                 {"plain\n", "plain\n", ""},
		"utf-8 with everything": {"\ufeffa\tñ \r\nb  \r\n\x0c你\x1b[0m", "\ufeffa\tñ \r\nb  \r\n\x0c你\x1b[0m", ""},
		"latin-1":               {"Espa\xf1a, ma\xf1ana \xbfqu\xe9?\n", "España, mañana ¿qué?\n", "transcoded:iso-8859-1"},
		"windows-1252":          {"\x93hola\x94 \x96 50 \x80, ma\xf1ana\n", "“hola” – 50 €, mañana\n", "transcoded:windows-1252"},
		"utf-16le":              {"\xff\xfeh\x00i\x00\xf1\x00\r\x00\n\x00", "hiñ\r\n", "transcoded:utf-16le"},
		"utf-16be":              {"\xfe\xff\x00h\x00i\x4f\x60", "hi你", "transcoded:utf-16be"},
		"utf-32le":              {"\xff\xfe\x00\x00h\x00\x00\x00\x00\xf6\x01\x00", "h😀", "transcoded:utf-32le"},
		"gb 18030":              {"\xbd\xf1\xcc\xec\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\xa1\xa3\n", "今天天气很好。\n", "transcoded:gb18030"},
		"one wrong byte":        {"año año año ma\xf1ana 你好\n", "año año año mañana 你好\n", "transcoded:utf-8 with wrong bytes"},
		"cut character":         {"mañana es un día muy larg\xc3", "mañana es un día muy largÃ", "transcoded:utf-8 with wrong bytes"},
		"only a mark":           {"\xff\xfe", "", "transcoded:utf-16le"},
	} {
		text, note, err := Decode([]byte(c.in))
		if err != nil || text != c.text || note != c.note {
			t.Errorf("%s: %q %q %v, want %q %q", name, text, note, err, c.text, c.note)
		}
	}
}

func TestBinary(t *testing.T) {
	for name, in := range map[string]string{
		"png":       "\x89PNG\r\n\x1a\n\x00\x00",
		"pdf":       "%PDF-1.7\n1 0 obj",
		"nul":       "text\x00text",
		"controls":  "\x01\x02\x03\x04abc\x05\x06",
		"high":      "\x81\x8d\x8f\xfe\xff\x90",
		"utf-16 of": "\xff\xfe\x01\x00\x02\x00\x03\x00",
	} {
		if text, note, err := Decode([]byte(in)); err != ErrBinary {
			t.Errorf("%s: %q %q %v", name, text, note, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "abc", "\xff\xfea\x00", "\xfe\xff\xd8\x00", "Espa\xf1a", "\xbd\xf1\xcc\xec", "ñ\xf1", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, note, err := Decode(data)
		switch {
		case err != nil:
			if text != "" || note != "" {
				t.Errorf("%q with an error", text)
			}
		case !utf8.ValidString(text):
			t.Errorf("%q is not UTF-8", text)
		case note == "" && text != string(data):
			t.Errorf("%q became %q without a note", data, text)
		case note != "" && !strings.HasPrefix(note, "transcoded:"):
			t.Errorf("note %q", note)
		}
	})
}
