package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/text"
)

// refused is the result of a call whose arguments are not those of the tool,
// in words that a model can act on; nil where they are, and for tools that
// there are not.
func (s *Server) refused(params *sdk.CallToolParamsRaw) *sdk.CallToolResult {
	schema := s.schemas[params.Name]
	if schema == nil {
		return nil
	}
	err := check(schema, params.Arguments)
	if err == nil {
		return nil
	}
	var refusal sdk.CallToolResult
	refusal.SetError(err)
	return &refusal
}

// check says what is wrong with arguments.
func check(schema *jsonschema.Schema, raw json.RawMessage) error {
	args := map[string]gjson.Result{}
	if len(raw) > 0 {
		parsed := gjson.ParseBytes(raw)
		if !parsed.IsObject() {
			return errors.New("the arguments are no object of names and values")
		}
		args = parsed.Map()
	}
	for _, name := range schema.Required {
		if !args[name].Exists() {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		property := schema.Properties[name]
		if property == nil {
			return fmt.Errorf("there is no argument %q; there are %s", line(name, 60), strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))
		}
		if wanted := wants(property, args[name]); wanted != "" {
			return fmt.Errorf("%s is %s; want %s", name, line(args[name].Raw, 60), wanted)
		}
	}
	return nil
}

// wants is what a value should be instead, "" where it is well.
func wants(property *jsonschema.Schema, value gjson.Result) string {
	switch {
	case property.Type == "string" && value.Type != gjson.String:
		return "a string"
	case property.Type == "boolean" && !value.IsBool():
		return "true or false"
	case property.Type == "integer":
		n, err := strconv.Atoi(value.Raw)
		low, high := property.Minimum, property.Maximum
		switch {
		case low != nil && high != nil && (err != nil || float64(n) < *low || float64(n) > *high):
			return fmt.Sprintf("a number from %g to %g", *low, *high)
		case low != nil && (err != nil || float64(n) < *low):
			return fmt.Sprintf("a number from %g on", *low)
		case err != nil:
			return "a number"
		}
	case len(property.Enum) > 0 && !slices.Contains(property.Enum, any(value.String())):
		var names []string
		for _, v := range property.Enum {
			names = append(names, fmt.Sprint(v))
		}
		return "one of " + strings.Join(names, ", ")
	}
	return ""
}

// tokens describes an argument that bounds an answer.
func tokens(s *jsonschema.Schema, usual int) {
	atLeast(s, minTokens)
	most := float64(maxTokens)
	s.Maximum = &most
	defaults(s, usual)
}

func atLeast(s *jsonschema.Schema, n float64) { s.Minimum = &n }

// checkDay refuses what names no day.
func checkDay(at string) error {
	if _, ok := text.ParseDate(at); at != "" && !ok {
		return fmt.Errorf("at is %q; want a day as YYYY-MM-DD", line(at, 40))
	}
	return nil
}
