package oracle_test

import (
	"fmt"
	"testing"

	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/text"
	"github.com/ihmt/ihmt/scripts/internal/oracle"
)

// Small memories and questions whose answer is the note of that number: the
// formula has to do without every word of the question, and with other forms.
var memories = []struct {
	notes     []string
	questions map[string]int
}{{
	[]string{"客厅的空调每年六月清洗一次滤网。", "妈妈的生日是九月十二号，喜欢百合。", "服务器证书由小李负责续期，到期前三十天提醒。", "孩子的家长会定在周五晚上七点。", "支付接口超时时间从三秒改为八秒。", "测试环境的数据库每晚两点重置。", "护照放在书房第二个抽屉。"},
	map[string]int{"空调滤网多久清洗": 0, "妈妈生日是哪天": 1, "谁负责证书续期": 2, "家长会几点开始": 3, "支付超时改成几秒了": 4, "测试数据库什么时候重置": 5, "我的护照放在哪里了？": 6},
}, {
	[]string{"歯医者の予約は来週の火曜日。", "サーバーの再起動は夜中の二時に行う。", "田中さんは甘いものが苦手。", "手順書は共有フォルダにある。", "自転車の鍵は玄関の棚に置いた。", "会議の議事録は鈴木さんが書く。"},
	map[string]int{"歯医者はいつですか": 0, "サーバーはいつ再起動しますか": 1, "田中さんの苦手なもの": 2, "手順書はどこにありますか": 3, "自転車の鍵": 4, "議事録は誰が書きますか": 5},
}, {
	[]string{"자동차 보험은 오월에 갱신한다.", "서버 비밀번호는 금고에 있다.", "민수는 땅콩 알레르기가 있다.", "회의록은 공유 폴더에 저장했다.", "자전거 열쇠는 현관 서랍에 두었다."},
	map[string]int{"자동차 보험 갱신": 0, "서버 비밀번호가 어디에 있나요": 1, "민수의 알레르기": 2, "회의록을 어디에 저장했나": 3, "자전거 열쇠": 4},
}, {
	[]string{"Страховка на машину продлена до мая.", "Пароль от почтового сервера хранится в сейфе.", "У Миши аллергия на арахис.", "Протоколы совещаний лежат в общей папке.", "Ключи от велосипеда в ящике у двери.", "Миграции базы данных запускаются перед стартом сервиса."},
	map[string]int{"когда заканчивается страховка машины": 0, "где пароль от почты сервера": 1, "на что у Миши аллергия": 2, "где протокол совещания": 3, "ключ велосипед": 4, "миграция базы": 5},
}, {
	[]string{"El seguro del coche vence en mayo.", "La contraseña del servidor de correo está en la caja fuerte.", "Hicimos la reunión de vecinos en el portal.", "Las actas de las reuniones están en la carpeta compartida.", "Las llaves de la bici, en el cajón de la entrada.", "Cambiamos el tiempo de espera del API de pagos de 3 a 8 segundos.", "El pingüino de peluche de Íñigo está en el trastero."},
	map[string]int{"cuándo vence el seguro del coche": 0, "contrasena correo": 1, "reunion vecinos": 2, "donde estan las actas de la reunion": 3, "llave de la bici": 4, "tiempo de espera pagos": 5, "peluche pinguino inigo": 6},
}, {
	[]string{"Car insurance renews in May, ask for the loyalty discount.", "The mail server password is in the safe.", "Misha is allergic to peanuts.", "Meeting minutes live in the shared folder.", "Bike keys are in the drawer by the door.", "We changed the payment API timeout from 3 to 8 seconds because the bank is slow on Mondays.", "parseConfigFile ignores unknown keys since v2.4.1", "Analysis of the outage: the cache was evicted."},
	map[string]int{"when does the car insurance renew": 0, "password for mail server?": 1, "what is Misha allergic to": 2, "where are the minutes of meetings": 3, "bicycle key drawer": 4, "why did we change the timeout of the payments API": 5, "parse config file unknown key": 6, "parseConfigFile": 6, "2.4.1": 6, "v2.4": 6, "analyses outages": 7, "evicting caches": 7},
}}

func TestQuestionsInSixLanguages(t *testing.T) {
	a, err := text.NewAnalyzer([]string{"en", "es"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range memories {
		leaves := make([]oracle.Leaf, len(m.notes))
		for i, n := range m.notes {
			leaves[i] = oracle.Leaf{ID: fmt.Sprint(i), Domain: "personal", Source: fmt.Sprint("note ", i), Timestamp: fmt.Sprintf("2025-01-%02d", i+1), Content: n}
		}
		memory := oracle.New(a, store.DefaultSettings().BranchFactor, leaves)
		for q, want := range m.questions {
			got := memory.Search(q, text.DMY)
			if len(got) == 0 || got[0].ID != fmt.Sprint(want) {
				t.Errorf("%q: %v, want note %d first", q, got, want)
			}
		}
	}
}
