package detect

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// ErrBinary says that bytes are no text in any encoding known here.
var ErrBinary = errors.New("binary")

// Decode returns bytes as text. UTF-8 comes back byte for byte, a byte order
// mark, carriage returns and all. UTF-16 and UTF-32 are known by their byte
// order mark, which is dropped; GB 18030 and Windows-1252 (of which Latin-1 is
// a part) are guessed; in UTF-8 with a few wrong bytes only these are read as
// Windows-1252. The note names what was done to the bytes, as in
// "transcoded:utf-16le"; it is empty for UTF-8. Anything else is [ErrBinary].
func Decode(data []byte) (text, note string, err error) {
	if name, enc := marked(data); enc != nil {
		return transcoded(data, name, enc)
	}
	if bytes.IndexByte(data, 0) >= 0 || bytes.HasPrefix(data, []byte("%PDF-")) || mostlyControls(data) {
		return "", "", ErrBinary
	}
	if utf8.Valid(data) {
		return string(data), "", nil
	}
	switch n := census(data); {
	case n.runes > 0 && n.wrong <= max(1, n.runes/10):
		return mended(data), "transcoded:utf-8 with wrong bytes", nil
	case n.pairs > 0 && n.pairs*2 >= n.high*9/10:
		return transcoded(data, "gb18030", simplifiedchinese.GB18030)
	case n.undefined > 0 || n.high > len(data)/3:
		return "", "", ErrBinary
	case n.c1 > 0:
		return transcoded(data, "windows-1252", charmap.Windows1252)
	}
	return transcoded(data, "iso-8859-1", charmap.Windows1252)
}

// marked returns the encoding that a byte order mark names; that of UTF-8
// belongs to the text.
func marked(data []byte) (string, encoding.Encoding) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}):
		return "utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)
	case bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return "utf-32be", utf32.UTF32(utf32.BigEndian, utf32.ExpectBOM)
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)
	}
	return "", nil
}

func transcoded(data []byte, name string, enc encoding.Encoding) (text, note string, err error) {
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil || bytes.IndexByte(out, 0) >= 0 || mostlyControls(out) {
		return "", "", ErrBinary
	}
	return string(out), "transcoded:" + name, nil
}

// mostlyControls tells whether more than a tenth of the bytes are control
// codes that no text has.
func mostlyControls(data []byte) bool {
	controls := 0
	for _, b := range data {
		if b == 0x7f || b < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(b)) {
			controls++
		}
	}
	return controls > len(data)/10
}

// counts are of the bytes of a text that is not UTF-8.
type counts struct {
	high      int // bytes from 0x80
	runes     int // characters of several bytes in valid UTF-8
	wrong     int // bytes that are no UTF-8
	pairs     int // two bytes that are a common Chinese character in GB 2312
	c1        int // 0x80 to 0x9f: control codes in Latin-1, signs in Windows-1252
	undefined int // in Windows-1252
}

func census(data []byte) (n counts) {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			n.wrong++
		case size > 1:
			n.runes++
		}
		i += size
	}
	for i := 0; i < len(data); i++ {
		b := data[i]
		if b < 0x80 {
			continue
		}
		n.high++
		switch {
		case b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d:
			n.undefined++
		case b < 0xa0:
			n.c1++
		case i+1 < len(data) && data[i+1] >= 0xa1 && data[i+1] < 0xff && (b <= 0xa3 || b >= 0xb0 && b <= 0xd7):
			n.pairs++
			n.high++
			i++
		}
	}
	return n
}

// mended returns UTF-8 in which each wrong byte is read as Windows-1252.
func mended(data []byte) string {
	var out strings.Builder
	out.Grow(len(data) + len(data)/8)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			r = charmap.Windows1252.DecodeByte(data[0])
		}
		out.WriteRune(r)
		data = data[size:]
	}
	return out.String()
}
