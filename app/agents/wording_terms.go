package agents

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
)

// speech is a language that texts can be checked in.
type speech struct {
	decimal string          // mark
	groups  []string        // marks between thousands
	common  map[string]bool // its most frequent words, folded
}

// speechOf is the language of a locale, if there is one for it.
func speechOf(locale string) (*speech, bool) {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	s, ok := speeches[language]
	return s, ok
}

var continental = []string{".", "\u00a0", "\u202f", "'", "’"}

var speeches = map[string]*speech{
	"en": {".", []string{","}, set(`a an the this that it is are be was we our us you your yours i to for of in on at as and or but not no
		can could will would have has with so if than then from by more than still here there do does how very just thank thanks please`)},
	"de": {",", continental, set(`der die das den dem des ein eine einen einem einer es ist sind wir uns unser unsere sie ihr ihre ihren ihnen
		ich zu fur von in im auf an am als und oder aber nicht kein keine mit bei so noch wenn dann konnen kann wird haben hat dieser diese diesen dieses
		zum zur nur auch danke bitte hier`)},
	"fr": {",", continental, set(`le la les l un une des du de d ce cet cette ces il elle est sont nous notre nos vous votre vos a au aux pour
		en dans sur par et ou mais ne n pas plus avec si que qu qui c j je pouvons pouvez peut avons avez merci ici bien`)},
	"es": {",", continental, set(`el la los las un una unos unas de del este esta es son nosotros nuestro nuestra le les su sus usted a al por
		para en con y o pero no mas si que podemos puede hemos ha lo se muy aun aqui gracias como`)},
	"it": {",", continental, set(`il lo la i gli le l un uno una di del della dei questo questa e sono noi nostro nostra la vi vostro vostra suo sua a al
		alla per in nel con su ma non piu se che possiamo puo abbiamo ha ci si grazie qui come ed`)},
	"pt": {",", continental, set(`o a os as um uma de do da dos das este esta e sao nos nosso nossa lhe seu sua voce a ao por para em no na
		com ou mas nao mais se que podemos pode temos tem muito aqui como obrigado obrigada pelo pela esse essa`)},
	"nl": {",", continental, set(`de het een dit deze dat is zijn wij we ons onze u uw je jouw ik te voor van in op aan als en of maar niet geen
		met bij zo nog dan kunnen kan wordt hebben heeft er ook bedankt hier om`)},
}

// symbols are the signs of currencies. Of currencies that share a sign, those have it that are meant by it alone.
var symbols = map[string]rune{"USD": '$', "EUR": '€', "GBP": '£', "JPY": '¥', "INR": '₹', "KRW": '₩'}

// spell adds the ways in which an amount is written: as the house does, and with the marks of the language.
func (s *speech) spell(into map[string]bool, a money.Amount) {
	text := a.String()
	whole, decimals, _ := strings.Cut(text, ".")
	into[text] = true
	for _, group := range append([]string{""}, s.groups...) {
		number := grouped(whole, group)
		if strings.Trim(decimals, "0") == "" {
			into[number] = true
		}
		if decimals != "" {
			into[number+s.decimal+decimals] = true
		}
	}
}

func grouped(digits, mark string) string {
	if len(digits) <= 3 {
		return digits
	}
	return grouped(digits[:len(digits)-3], mark) + mark + digits[len(digits)-3:]
}

// denied tells whether a word is one that a decision's words must not have: numbers, what could be a promise, what
// could tell of how prices are made, and addresses.
func denied(word string) bool {
	return deniedWords.has(word) || strings.HasSuffix(word, "zig") && word != "einzig"
}

// consents tells whether a word sounds like a yes.
func consents(word string) bool { return consenting.has(word) }

// terms are folded words, and beginnings of words.
type terms struct {
	whole      map[string]bool
	beginnings []string
}

func (t terms) has(word string) bool {
	if t.whole[word] {
		return true
	}
	for _, beginning := range t.beginnings {
		if strings.HasPrefix(word, beginning) {
			return true
		}
	}
	return false
}

// termsOf reads words; one that ends in * stands for all that begin with it.
func termsOf(lists ...string) terms {
	t := terms{whole: map[string]bool{}}
	for word := range strings.FieldsSeq(strings.Join(lists, " ")) {
		if beginning, ok := strings.CutSuffix(word, "*"); ok {
			t.beginnings = append(t.beginnings, beginning)
		} else {
			t.whole[word] = true
		}
	}
	return t
}

func set(words string) map[string]bool { return termsOf(words).whole }

var currencyWords = set(`dollar dollars buck bucks euro euros eur pound pounds sterling quid cent cents penny pence yen yuan renminbi rupee rupees
	franc francs franken peso pesos krona kronor krone kroner kronen zloty rubel ruble rubles rouble dolar dolares dolari dollari sterlina sterline
	libra libras reais pfund centimes centimos centesimi centavos bitcoin bitcoins btc eth crypto`)

var deniedWords = termsOf(numberWords, promises, secrets, addresses)

const numberWords = `zero nil null nul two three four* five six sixt* seven* eight* nine* ninet* ten eleven twelve thirt* fift* twent* forty
	hundred* thousand* million* billion* k mio dozen* half halve* halb* quarter* third double* twice triple* thrice
	zwei* zwo drei* vier* funf* sechs* sechz* sieb* acht achtt* achtz* achtund* neun* zehn* elf zwolf* hundert* tausend* halfte* viertel* drittel* doppelt*
	deux trois quatre* cinq* sept huit neuf dix* onze douze treize quatorze quinze seize vingt* trente* quarante* soixante* mille moitie demi* tiers quart
	dos tres cuatro* cinco seis siete ocho nueve diez once doce trece catorce quince dieci* veint* treinta* cuarent* cincuent* sesent* setent* ochent*
	novent* cien ciento* doscient* trescient* cuatrocient* quinient* seiscient* setecient* ochocient* novecient* mil mitad medio doble cero
	due tre quattro cinque sei sette otto nove undici dodici tredici quattordici quindici sedici venti* trenta* quaranta* cinquanta* sessanta* settanta*
	ottanta* novanta* cento* duecent* trecent* mila meta mezzo doppio
	dois duas quatro sete oito dez doze treze dezess* dezoito dezen* vinte trinta quarenta cinquenta sessenta setenta oitenta cem duzent* trezent*
	quinhent* metade meio dobro
	twee* drie* vijf* zes zest* zeven* negen* tien* twaalf twintig* dertig* dertien veertig* veertien tachtig* honderd* duizend* helft dubbel*`

const promises = `free* gratis complimentary discount* rebate* coupon* voucher* promo* code codes bonus* gift* cashback refund* return returns guarante*
	warrant* ship* deliver* postage tomorrow tonight midnight expir* overnight express percent* off sale sales lower* lowest cheap* less lesser under below beneath minus
	reduc* subtract* upto
	kostenlos* umsonst frei* geschenk* rabatt* nachlass* skonto gutschein* prozent* versand* liefer* garantie* ruckgabe* erstatt* gunstig* billig*
	weniger unter niedrig* tiefer reduzier* senk*
	gratuit* offert* cadeau* remise* rabais reduit* solde* pourcent* livraison* livre* expedi* port garanti* rembours* moins inferieur* sous bas baiss*
	regalo* descuento* rebaj* envio* entrega* garantia* reembols* devol* menos inferior* bajo debajo
	omaggio scont* ribass* spedizion* consegn* garanzi* rimbors* meno sotto
	brinde* desconto* frete* abaixo gratuito*
	korting* verzend* bezorg* lever* terugbetal* minder onder lager* laag* laagst* goedkop* procent*`

const secrets = `floor* minim* margin* cost* profit* markup wholesale supplier* limit* threshold* target* reserve reserved secret* confidential* intern*
	room wiggle leeway flexib* halfway money earn* pays hidden instruct* prompt* system* polic* rule rules ignore* overrid* admin* developer* password* token* key keys api
	untergrenze* mindest* marge* gewinn* kosten* einkauf* grenze* geheim* anweisung* richtlinie* regel*
	plancher* cout* benefice* seuil* politique* regle*
	margen* coste* costo* cuest* beneficio* umbral* instruccion* politica* regla*
	costa costi profitt* soglia* segret* istruzion* regol*
	margem custo custos custa custam lucro* segredo* instruc* regra*
	kost* winst* grens* beleid*`

const addresses = `http* www com dot click* visit* email* mail* whatsapp telegram contact* url link* website* webseite*`

var consenting = termsOf(`accept* agree* deal* sold done yes yep sure ok okay approv* grant* fine
	congratulat* won win wins winning winner works proposed ahead
	akzept* angenommen annehm* nehmen einverstand* abgemacht zustimm* zugestimmt ja verkauft gilt
	accord oui vendu conclu* acept* acuerdo trato hecho vendido accett* affare venduto aceit* fechado combinado sim
	akkoord geaccept* verkocht aanvaard*`)
