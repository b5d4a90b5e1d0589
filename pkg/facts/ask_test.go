package facts

import (
	"strings"
	"testing"
)

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
		"what was my job in January 2025":    "role or employer",
		"what is my job":                     "role or employer",
		"what was my job in 2024?":           "role or employer",
		"what is my current occupation":      "role or employer",
		"what's my profession":               "role or employer",
		"¿cuál es mi trabajo?":               "employer or role",
		"cuál era mi puesto en 2024":         "role or employer",
		"¿cuál es mi profesión?":             "role or employer",
		"我的工作是什么":                            "role or employer",
		"我的职业是什么":                            "role or employer",
		"我2024年的工作是什么":                       "role or employer",
		"what is my job queue called":        "",
		"what did I say about my job":        "",
		"what's my role":                     "role",
		"where did I live last year":         "location",
		"where did I live two years ago":     "location",
		"¿dónde vivía hace dos años?":        "location",
		"我去年住在哪里":                            "location",
		"我两年前在哪里工作":                          "employer",
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
		if got := strings.Join(Asked(query), " or "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

func TestWhomAQuestionAsksAbout(t *testing.T) {
	subjects := []string{"user", "elena ruiz", "elena gómez", "marta ruiz", "王芳", "ana"}
	for query, want := range map[string]string{
		"what is Marta's diagnosis":           "marta ruiz diagnosis",
		"what is Elena Ruiz's diagnosis?":     "elena ruiz diagnosis",
		"what is Elena's diagnosis":           "", // which one?
		"What was Marta’s treatment in 2024?": "marta ruiz treatment",
		"¿cuál es el diagnóstico de Marta?":   "marta ruiz diagnosis",
		"¿qué medicación toma Marta Ruiz?":    "marta ruiz medication",
		"王芳的诊断是什么":                            "王芳 diagnosis",
		"王芳去年用药情况":                            "王芳 medication",
		"where does Ana live":                 "ana location",
		"where did Ana work last year":        "ana employer or role",
		"what did Marta say about the boat":   "",
		"what is the diagnosis":               "",
		"banana diagnosis":                    "",
	} {
		subject, attributes := AskedOf(query, subjects)
		if got := strings.TrimSpace(subject + " " + strings.Join(attributes, " or ")); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}
