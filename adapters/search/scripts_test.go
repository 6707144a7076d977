package search_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// titles are product titles in several scripts, by SKU.
var titles = map[string]string{
	"zh-phone":    "小米手机14 Pro 骁龙8 徕卡光学镜头 黑色 16GB+512GB",
	"zh-tea":      "西湖龙井茶 明前特级 绿茶 250克礼盒装",
	"zh-tw-desk":  "電動升降桌 雙馬達 人體工學辦公桌 胡桃木色",
	"ja-earphone": "ワイヤレスイヤホン Bluetooth5.3 ノイズキャンセリング 防水IPX7",
	"ja-knife":    "三徳包丁 ステンレス 食洗機対応 日本製",
	"ja-half":     "ﾜｲﾔﾚｽﾏｳｽ 静音 充電式",
	"ko-cushion":  "헤라 블랙 쿠션 파운데이션 리필 포함",
	"ko-ramen":    "농심 신라면 매운맛 40개입 박스",
	"th-coffee":   "กาแฟอาราบิก้าคั่วบด ดอยช้าง 250 กรัม",
	"th-bag":      "กระเป๋าเป้เดินทาง กันน้ำ ใส่โน้ตบุ๊คได้",
	"en-tent":     "Trail tent for two",
}

// Any substring of one to three characters of a title finds that title.
func TestIndex_Search_unspacedPieces(t *testing.T) {
	t.Parallel()
	var products []*catalog.Product
	for sku, title := range titles {
		products = append(products, product(sku, title))
	}
	x := indexed(products)
	asked := 0
	for sku, title := range titles {
		even := []rune(words.Even(title))
		for from := range even {
			for length := 1; length <= 3 && from+length <= len(even); length++ {
				piece := string(even[from : from+length])
				if unicode.IsMark(even[from]) || strings.ContainsFunc(piece, func(r rune) bool { return !words.Paired(string(r)) }) {
					continue
				}
				asked++
				got, found := find(t, x, piece)
				at := strings.Index(" "+got+" ", " "+sku+" ")
				if at < 0 {
					t.Errorf("%q of %q finds %q", piece, title, got)
					continue
				}
				if length == 3 && found.Hits[0].Product.SKU != sku && !strings.Contains(words.Even(found.Hits[0].Product.Name), piece) {
					t.Errorf("%q finds %q first", piece, found.Hits[0].Product.Name)
				}
			}
		}
	}
	if asked < 300 {
		t.Errorf("only %d pieces", asked)
	}
}

func TestIndex_Search_unspacedWords(t *testing.T) {
	t.Parallel()
	var products []*catalog.Product
	for sku, title := range titles {
		products = append(products, product(sku, title))
	}
	firsts(t, indexed(products), map[string]string{
		"手机":            "zh-phone",
		"小米 Pro 16GB":   "zh-phone",
		"龙井绿茶":          "zh-tea",
		"升降桌":           "zh-tw-desk",
		"ワイヤレスイヤホン 防水":  "ja-earphone",
		"ﾜｲﾔﾚｽｲﾔﾎﾝ":     "ja-earphone",
		"ＢＬＵＥＴＯＯＴＨ":     "ja-earphone",
		"包丁 ステンレス":      "ja-knife",
		"ワイヤレスマウス":      "ja-half",
		"신라면을":          "ko-ramen",
		"쿠션 파운데이션":      "ko-cushion",
		"กาแฟ":          "th-coffee",
		"กระเป๋ากันน้ำ": "th-bag",
		"帐篷":            "",
		"テント":           "",
		"tent":          "en-tent",
	})
	if _, found := find(t, indexed(products), "手机"); !utf8.ValidString(strings.Join(found.Hits[0].Reasons, "")) || found.Hits[0].Reasons[0] != "'手机' in the name" {
		t.Errorf("%q", found.Hits[0].Reasons)
	}
}
