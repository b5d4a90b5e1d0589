package text

import (
	"strings"
	"sync"
)

// IsCommon tells whether a word, in lower case, is a stop word of any language
// that has a list of them: where the language of a text is not known.
func IsCommon(word string) bool { return commonWords()[fold(word)] }

var commonWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(stopWordFile) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line)[1:] {
				set[w] = true
			}
		}
	}
	return set
})
