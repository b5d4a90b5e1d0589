package secret

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleFind() {
	found := Find("the database is postgres://ada:Tr0ub4dor@db.internal/shop")
	fmt.Println(Names(found))
	// Output: a password in a URL
}

// of repeats a few characters to n: what stands here must not look like a
// token itself.
func of(alphabet string, n int) string { return strings.Repeat(alphabet, n/len(alphabet)+1)[:n] }

const (
	word  = "aZ3bY9cX1dW7"
	hex   = "0a1b2c3d4e5f"
	upper = "A2B3C4D5"
)

func TestPublishedFormats(t *testing.T) {
	for name, secrets := range map[string][]string{
		"a private key": {
			"-----BEGIN " + "RSA PRIVATE KEY-----\n" + of(word, 64) + "\n-----END RSA PRIVATE KEY-----",
			"-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + of(word, 64), // cut off
			"-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\n" + of(word, 64) + "\n-----END PGP PRIVATE KEY BLOCK-----",
			"AGE-SECRET-KEY-1" + of(upper, 58),
		},
		"an AWS access key":                {"AKIA" + of(upper, 16), "ASIA" + of(upper, 16)},
		"a Google API key":                 {"AIza" + of(word, 35)},
		"a Google access token":            {"ya29." + of(word, 60)},
		"a GitHub token":                   {"ghp_" + of(word, 36), "ghs_" + of(word, 36), "github_pat_" + of(word, 22) + "_" + of(word, 59)},
		"a GitLab token":                   {"glpat-" + of(word, 20)},
		"an OpenAI key":                    {"sk-" + of(word, 20) + "T3BlbkFJ" + of(word, 20), "sk-proj-" + of(word, 60)},
		"an Anthropic key":                 {"sk-ant-api03-" + of(word, 95)},
		"a Hugging Face token":             {"hf_" + of("aZbYcXdW", 34)},
		"a Slack token":                    {"xoxb-" + of("12345", 12) + "-" + of("12345", 12) + "-" + of(word, 24)},
		"a Slack webhook":                  {"https://hooks.slack.com/services/T" + of(upper, 8) + "/B" + of(upper, 8) + "/" + of(word, 24)},
		"a Stripe key":                     {"sk_live_" + of(word, 24), "rk_test_" + of(word, 24)},
		"a Telegram bot token":             {of("12345", 9) + ":AA" + of(word, 33)},
		"an npm token":                     {"npm_" + of(word, 36)},
		"a PyPI token":                     {"pypi-AgEIcHlwaS5vcmc" + of(word, 80)},
		"a DigitalOcean token":             {"dop_v1_" + of(hex, 64)},
		"a Vault token":                    {"hvs." + of(word, 30)},
		"a SendGrid key":                   {"SG." + of(word, 22) + "." + of(word, 43)},
		"a signed web token":               {"eyJ" + of(word, 30) + ".eyJ" + of(word, 40) + "." + of(word, 43)},
		"a password in a URL":              {"postgres://ada:Tr0ub4dor@db.internal/shop", "https://x:y9Gq2@example.org", "redis://:s3cr3tS@10.0.0.1:6379"},
		"an AWS secret key":                {"aws_secret_access_key = " + of("a/Z3+bY9", 40)},
		"an Azure storage key":             {"DefaultEndpointsProtocol=https;AccountKey=" + of("a/Z3+bY9", 86) + "=="},
		"a Docker token":                   {"dckr_pat_" + of(word, 27)},
		"a Linear key":                     {"lin_api_" + of(word, 40)},
		"a Databricks token":               {"dapi" + of(hex, 32)},
		"a Discord token":                  {"M" + of("TE5MzI1", 24) + "." + of(word, 6) + "." + of(word, 30)},
		"a Terraform token":                {of(word, 14) + ".atlasv1." + of(word, 67)},
		"a Grafana token":                  {"glsa_" + of(word, 32) + "_" + of(hex, 8)},
		"a Mailchimp key":                  {of(hex, 32) + "-us12"},
		"a RubyGems key":                   {"rubygems_" + of(hex, 48)},
		"a Google OAuth secret":            {"GOCSPX-" + of(word, 28)},
		"an Atlassian token":               {"ATATT3" + of(word, 180)},
		"a Sentry token":                   {"sntrys_" + of(word, 80)},
		"a Doppler token":                  {"dp.pt." + of(word, 43)},
		"a Shopify token":                  {"shpat_" + of(hex, 32)},
		"a Supabase token":                 {"sbp_" + of(hex, 40)},
		"a Postman key":                    {"PMAK-" + of(hex, 24) + "-" + of(hex, 34)},
		"an OpenRouter key":                {"sk-or-v1-" + of(hex, 64)},
		"a Figma token":                    {"figd_" + of(word, 40)},
		"a Notion token":                   {"ntn_" + of(word, 46)},
		"a New Relic key":                  {"NRAK-" + of(upper, 27)},
		"a Pulumi token":                   {"pul-" + of(hex, 40)},
		"a Mailgun key":                    {"key-" + of(hex, 32)},
		"a Square token":                   {"sq0atp-" + of(word, 22)},
		"a crates.io token":                {"cio" + of(word, 32)},
		"a PayPal token":                   {"access_token$production$" + of(hex, 16) + "$" + of(hex, 32)},
		"an Azure shared access signature": {"https://a.blob.core.windows.net/c?sv=2024-11-04&ss=b&sig=" + of(word, 44)},
	} {
		for _, s := range secrets {
			for _, text := range []string{s, "the key: " + s + ", keep it", "{\"key\":\"" + s + "\"}\n"} {
				found := Find(text)
				if len(found) == 0 || Names(found) != name {
					t.Errorf("%s: found %v in %q", name, found, text)
					continue
				}
				if masked := Mask(text); len(Find(masked)) > 0 || strings.Contains(masked, s) {
					t.Errorf("%s: masked as %q", name, masked)
				}
			}
		}
	}
}

func TestWhatIsNoSecret(t *testing.T) {
	for _, text := range []string{
		"2026-02-03: I live in Valencia and my password is in the keychain.",
		"postgres://user:password@localhost/shop, or postgres://app:${DB_PASSWORD}@db, or mysql://root:<password>@host",
		"ftp://ada:***@host and https://ada:xxxxxxxx@host and http://u:YOUR_PASSWORD@host",
		"https://example.org:8080/a@b and ssh://git@example.org/x.git and https://en.wikipedia.org/wiki/Tree:_a@b",
		"AKIAIOSFODNN7EXAMPLE is the one of the manuals",
		"commit 0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1b, sha256:" + of(hex, 64),
		"-----BEGIN CERTIFICATE-----\n" + of(word, 64) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + of(word, 64) + "\n-----END PUBLIC KEY-----",
		"the flag is ghp_short, npm_config_cache is a variable, sk-learn is a library, hf_hub too",
		"L-personal-0000-3fd1a77c02 F-20c9b6f1d3",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + of(word, 43) + " ada@host",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + of(word, 100),
		strings.Repeat("akia asia hf_ ghp_ eyJ sk-ant- private key :// ", 100),
		"",
	} {
		if found := Find(text); len(found) > 0 {
			t.Errorf("%q: %s in %q", text[found[0].Start:found[0].End], Names(found), text[:min(len(text), 80)])
		}
		if Mask(text) != text {
			t.Errorf("%q was masked", text)
		}
	}
}

func TestNamesOfSeveral(t *testing.T) {
	text := "ghp_" + of(word, 36) + " and npm_" + of(word, 36) + " and ghp_" + of(word, 40)
	if got := Names(Find(text)); got != "a GitHub token and an npm token" {
		t.Errorf("got %q", got)
	}
	if got := Mask(text); got != "[a GitHub token] and [an npm token] and [a GitHub token]" {
		t.Errorf("got %q", got)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("postgres://ada:Tr0ub4dor@db ghp_" + of(word, 36))
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Add("a://:\xff@b://::@@")
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(text)
		for _, f := range found {
			if f.Start < 0 || f.Start >= f.End || f.End > len(text) {
				t.Errorf("%+v in %d bytes", f, len(text))
			}
		}
		if masked := Mask(text); len(found) == 0 && masked != text {
			t.Errorf("%q was masked as %q", text, masked)
		}
	})
}
