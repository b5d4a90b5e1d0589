package text

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed stopwords.txt
var stopWordFile string

// stopWords are the stop words of the languages, folded.
func stopWords(of []language) map[string]bool {
	set := map[string]bool{}
	for _, l := range of {
		_, list, _ := strings.Cut(stopWordFile, "\n"+l.code+" ")
		list, _, _ = strings.Cut(list, "\n")
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
	}
	return set
}

func (a *Analyzer) isStop(folded string) bool { return a.stop()[folded] }

// spacelessStop are the words that carry a question or the grammar in running
// Chinese, Japanese and Korean, longest first where one begins another. Pairs
// inside them are no words of a query, pairs that touch one are optional.
var spacelessStop = sync.OnceValue(func() []string {
	return strings.Fields(`
	为什么 為什麼 怎么样 怎麼樣 什么时候 什麼時候 什么 什麼 怎么 怎麼 多少 多久 哪里 哪裡 哪儿 哪一 哪个 哪些 哪 谁 誰 几 幾
	我们 我們 你们 你們 他们 他們 她们 她們 我 你 您 他 她 它 这个 這個 那个 那個 这 這 那
	的 了 是 在 吗 嗎 呢 吧 啊 把 被 和 与 與 或 也 都 就 还 還 很 过 過 着 著 上 里 有 没有 沒有 不 请 請 一下 发生 發生
	ですか ますか でした ました です ます ください について いつ どこ だれ なに なぜ どう どの 何 誰 は が を に で と も の へ か や
	은 는 이 가 을 를 에 의 와 과 도 로 으로 에서 언제 어디 누가 무엇 왜 어떻게`)
})
