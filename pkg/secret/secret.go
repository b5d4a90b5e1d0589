// Package secret finds what obviously is a secret in a text: private keys,
// tokens of clouds and services in the formats that their makers publish, and
// passwords in URLs. It is for refusing to store such a text, so it prefers to
// miss a secret without a format of its own to taking plain words for one.
package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Finding is a secret in a text.
type Finding struct {
	Name       string // what it is: "a GitHub token"
	Start, End int    // where it stands, in bytes
}

// A kind is one sort of secret. A text is only searched for it where it holds
// one of the marks.
type kind struct {
	name    string
	marks   []string // in lower case
	pattern string   // its first group, if it has one, is the secret
	regexp  *regexp.Regexp
	compile sync.Once
}

// kinds are in no order that matters. Patterns begin and end at the bounds of
// a word, so that a longer run of letters is not taken for a token.
var kinds = []*kind{
	{name: "a private key", marks: []string{"private key"}, pattern: `(?s)-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)`},
	{name: "a private key", marks: []string{"putty-user-key-file"}, pattern: `(?s)PuTTY-User-Key-File-\d: .*?Private-Lines: .*?(?:Private-MAC: \S+|\z)`},
	{name: "a private key", marks: []string{"age-secret-key-1"}, pattern: `\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b`},
	{name: "an AWS access key", marks: []string{"akia", "asia", "abia", "acca"}, pattern: `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`},
	{name: "an AWS secret key", marks: []string{"aws"}, pattern: `(?i)aws.{0,20}?(?:secret|sk).{0,30}?[=:]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`},
	{name: "a Google API key", marks: []string{"aiza"}, pattern: `\b(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)`},
	{name: "a Google OAuth secret", marks: []string{"gocspx-"}, pattern: `\bGOCSPX-[0-9A-Za-z_-]{28}`},
	{name: "a Google access token", marks: []string{"ya29."}, pattern: `\bya29\.[0-9A-Za-z_-]{30,}`},
	{name: "an Azure storage key", marks: []string{"accountkey="}, pattern: `(?i)\bAccountKey=([A-Za-z0-9+/]{86}==)`},
	{name: "an Azure shared access signature", marks: []string{"sig="}, pattern: `\bsv=\d{4}-\d\d-\d\d[^\s"']*?[?&]sig=([A-Za-z0-9%+/]{40,}=*)`},
	{name: "a GitHub token", marks: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, pattern: `\bgh[pousr]_[A-Za-z0-9]{36,255}\b`},
	{name: "a GitHub token", marks: []string{"github_pat_"}, pattern: `\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b`},
	{name: "a GitLab token", marks: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-"}, pattern: `\bgl(?:pat|dt|rt|ptt|soat|cbt)-[0-9A-Za-z_.-]{20,}`},
	{name: "an OpenAI key", marks: []string{"t3blbkfj", "sk-proj-", "sk-svcacct-", "sk-admin-"}, pattern: `\bsk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,})`},
	{name: "an Anthropic key", marks: []string{"sk-ant-"}, pattern: `\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{40,}`},
	{name: "an OpenRouter key", marks: []string{"sk-or-v1-"}, pattern: `\bsk-or-v1-[0-9a-f]{64}\b`},
	{name: "a Hugging Face token", marks: []string{"hf_"}, pattern: `\bhf_[A-Za-z0-9]{34,}\b`},
	{name: "a Slack token", marks: []string{"xox", "xapp-"}, pattern: `\b(?:xox[abeoprs]-(?:[0-9A-Za-z]+-)+[0-9A-Za-z]{16,}|xapp-\d-[A-Z0-9]+-\d+-[0-9a-f]{32,})`},
	{name: "a Slack webhook", marks: []string{"hooks.slack.com"}, pattern: `\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]+/[A-Za-z0-9/]{20,}`},
	{name: "a Discord token", marks: []string{"."}, pattern: `\b[MNO][A-Za-z\d]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38}\b`},
	{name: "a Telegram bot token", marks: []string{":aa"}, pattern: `\b(\d{8,10}:AA[0-9A-Za-z_-]{33})(?:[^0-9A-Za-z_-]|$)`},
	{name: "a Stripe key", marks: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"}, pattern: `\b(?:(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/]{32,})`},
	{name: "a Square token", marks: []string{"sq0"}, pattern: `\bsq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}`},
	{name: "a Shopify token", marks: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, pattern: `\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b`},
	{name: "a PayPal token", marks: []string{"access_token$production$"}, pattern: `access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}`},
	{name: "an npm token", marks: []string{"npm_"}, pattern: `\bnpm_[A-Za-z0-9]{36}\b`},
	{name: "a PyPI token", marks: []string{"pypi-ageichlwas5vcmc"}, pattern: `\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,}`},
	{name: "a RubyGems key", marks: []string{"rubygems_"}, pattern: `\brubygems_[0-9a-f]{48}\b`},
	{name: "a crates.io token", marks: []string{"cio"}, pattern: `\bcio[A-Za-z0-9]{32}\b`},
	{name: "a Docker token", marks: []string{"dckr_pat_"}, pattern: `\bdckr_pat_[A-Za-z0-9_-]{27}`},
	{name: "a DigitalOcean token", marks: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, pattern: `\bdo[opr]_v1_[0-9a-f]{64}\b`},
	{name: "a Databricks token", marks: []string{"dapi"}, pattern: `\bdapi[0-9a-f]{32}\b`},
	{name: "a Vault token", marks: []string{"hvs.", "hvb."}, pattern: `\bhv[sb]\.[A-Za-z0-9_-]{24,}`},
	{name: "a Terraform token", marks: []string{".atlasv1."}, pattern: `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`},
	{name: "a Pulumi token", marks: []string{"pul-"}, pattern: `\bpul-[0-9a-f]{40}\b`},
	{name: "a Doppler token", marks: []string{"dp."}, pattern: `\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}`},
	{name: "a Grafana token", marks: []string{"glsa_", "glc_"}, pattern: `\b(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})`},
	{name: "a New Relic key", marks: []string{"nrak-"}, pattern: `\bNRAK-[A-Z0-9]{27}\b`},
	{name: "a Sentry token", marks: []string{"sntrys_", "sntryu_"}, pattern: `\bsntry[su]_[A-Za-z0-9+/=_]{60,}`},
	{name: "a SendGrid key", marks: []string{"sg."}, pattern: `\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b`},
	{name: "a Mailgun key", marks: []string{"key-"}, pattern: `\bkey-[0-9a-f]{32}\b`},
	{name: "a Mailchimp key", marks: []string{"-us"}, pattern: `\b[0-9a-f]{32}-us\d{1,2}\b`},
	{name: "an Atlassian token", marks: []string{"atatt3", "atctt3"}, pattern: `\bAT[AC]TT3[A-Za-z0-9_=-]{60,}`},
	{name: "a Linear key", marks: []string{"lin_api_"}, pattern: `\blin_api_[A-Za-z0-9]{40}\b`},
	{name: "a Notion token", marks: []string{"ntn_", "secret_"}, pattern: `\b(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})\b`},
	{name: "a Figma token", marks: []string{"figd_"}, pattern: `\bfigd_[A-Za-z0-9_-]{40,}`},
	{name: "a Postman key", marks: []string{"pmak-"}, pattern: `\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b`},
	{name: "a Supabase token", marks: []string{"sbp_"}, pattern: `\bsbp_[0-9a-f]{40}\b`},
	{name: "a signed web token", marks: []string{"eyj"}, pattern: `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}`},
	{name: "a password in a URL", marks: []string{"://"}, pattern: `\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#:@"'<>]*:([^\s/?#@"']+)@[^\s"'<>]`},
}

func (k *kind) in(text string) [][]int {
	k.compile.Do(func() { k.regexp = regexp.MustCompile(k.pattern) })
	return k.regexp.FindAllStringSubmatchIndex(text, -1)
}

// Find returns the secrets in a text, in order. What only stands for one, as
// in user:password@host or a key that says EXAMPLE, is none.
func Find(text string) []Finding {
	lower := strings.ToLower(text)
	var all []Finding
	for _, k := range kinds {
		if !slices.ContainsFunc(k.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
			continue
		}
		for _, at := range k.in(text) {
			start, end := at[0], at[1]
			if len(at) > 2 && at[2] >= 0 {
				start, end = at[2], at[3]
			}
			if !standIn(text[start:end]) {
				all = append(all, Finding{k.name, start, end})
			}
		}
	}
	slices.SortFunc(all, func(a, b Finding) int { return a.Start - b.Start })
	return all
}

// standIn tells whether a text is put where a secret would stand.
func standIn(s string) bool {
	lower := strings.ToLower(s)
	switch strings.Trim(lower, "*._-") {
	case "", "password", "passwd", "pass", "pwd", "pw", "secret", "token", "key", "changeme", "example", "redacted", "hidden", "mypassword", "yourpassword", "your-password", "your_password":
		return true
	}
	return strings.Contains(lower, "example") || strings.ContainsAny(s[:1], "<${%[") ||
		strings.Contains(lower, "xxxxxxxx") || strings.Trim(lower, lower[:1]) == ""
}

// Names lists what was found in words: "a GitHub token and a private key".
func Names(found []Finding) string {
	var names []string
	for _, f := range found {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Mask returns a text with each secret replaced by what it is, in brackets.
func Mask(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, f := range found {
		if f.Start >= done {
			b.WriteString(text[done:f.Start] + "[" + f.Name + "]")
		}
		done = max(done, f.End)
	}
	return b.String() + text[done:]
}
