package facts

import "testing"

func TestWhatAQuestionAsksFor(t *testing.T) {
	for query, want := range map[string]string{
		"where do I live":                    "location",
		"Where did I live in 2024?":          "location",
		"where am I based these days":        "location",
		"what city did I live in":            "location",
		"¿Dónde vivía yo en 2024?":           "location",
		"donde vivo":                         "location",
		"我2024年住在哪里？":                        "location",
		"我现在住在哪里":                            "location",
		"who do I work for?":                 "employer",
		"which company was I at in 2023":     "employer",
		"¿en qué empresa trabajaba en 2020?": "employer",
		"我现在在哪家公司":                           "employer",
		"what is my job title":               "role",
		"which editor do I use":              "editor",
		"what was my preferred editor?":      "editor",
		"我用什么编辑器":                            "editor",
		"what is our tech stack":             "stack",
		"which package manager do we use":    "package_manager",
		"which OS am I on?":                  "os",
		"where does Ana live":                "",
		"where do we keep the stock":         "",
		"where do I live-stream the talk":    "",
		"what is my address book called":     "",
		"where do I work on Fridays":         "employer",
		"the house where I lived with Ana":   "",
		"editor":                             "",
		"what did I decide about the editor": "",
	} {
		if got, ok := Asked(query); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}
