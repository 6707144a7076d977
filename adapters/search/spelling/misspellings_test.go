package spelling

import (
	"slices"
	"strings"
	"testing"
)

// known are words of shops. Many of them are near to each other.
var known = words(`
accessories accessory across adapter adapters adaptor adjustable aluminium aluminum amplifier android animal antenna
apple appliance audio automatic backpack backup bag bags ball band bank bar barbecue base basket basketball bath
bathroom batter batteries battery beach bed bedroom belt bench bicycle bike binder binoculars black blade blanket
blender blinds block blood bluetooth board boat book books boot boots bottle bowl box boxes bracelet bracket brake
brand bread breakfast brown brush bucket buckle bulb bundle business button cabinet cable cables cage calculator
calendar camel camera cameras camping candle candles canvas carbon card cards care carpet carrier cartridge
cartridges case cases cat ceiling ceramic certificate chain chair chairs chandelier charge charger chargers
charging cheese children chocolate chrome circular clean cleaner cleaning clock closet clothes coat coffee collar
color colour comb comfort comforter compact compatible component computer computers conditioner connector console
container control controller cooker cookie cooler copper cord cordless corner cosmetic costume cotton couch cover
covers cradle craft cream crystal cup curtain curtains cushion cutter cycling daily deck decor decoration deluxe
desk desktop detergent device diamond dice diamonds digital dining dinner dish dishwasher disk dispenser display
dock docking document dog door dough drawer dress dresser drill drive driver drone dryer duplex dust duvet earbuds
earphones earring earrings electric electronic elephant emergency engine envelope equipment espresso ethernet
exercise exterior external eyeliner fabric face fan faucet feather fence fiber film filter filters fireplace
fishing fitness fixture flash flashlight floor flower foam food foot football footwear fork formal foundation frame
freezer fridge furniture gambling game games gaming garage garden garlic gas gate gauge generator genuine gift girl
glass glasses glove gloves glue gold golf graphics graphite green grey grill grinder guard guitar hair hairdryer
hammer handbag handle hanger hard hardware harness harvest hat head header headlamp headphone headphones headset
heater heavy height helmet holder home hood hook hoodie horse hose hot house humidifier hydraulic ice ink inkjet
indoor infant inflatable insulated interior internal iron jack jacket jackets jar jeans jewellery jewelry jogger
juice juicer kayak kettle key keyboard keyboards keys kids kit kitchen knife knives label labels lace ladder lamp
lamps lantern lap laptop laptops large laser lather latte laundry lawn leaf leash leather lego lens letter leveler
license light lighting lights liner lipstick liquid lock long lotion luggage lunch machine magazine magnet magnetic
maintenance makeup marble marker mask massage mat matte mattress measure meat medical medicine medium memory mens
merchandise metal microphone microscope microwave miniature mirror mixer mobile modem module monitor monitors
motion motor motorcycle mount mouse mouth movie mower mug multifunction music nail natural navigation necklace
needle network night nintendo noise notebook notebooks nozzle nursery office oil optical orange organizer ornament
outdoor outlet oven oxygen pack packaging pad pain paint paintbrush painting pan panel panels pants paper parka
party patch patio pedal pen pencil perfume permanent personal pet phone phones photo piano picture pillow pillows
pipe pizza plain planer planner plant planter plaster plastic plate platform player pliers plug pocket polish
polyester pool port portable portrait poster pot power powder premium preserves pressure print printer printers
printing privacy processor professional projection projector projectors protection protective protector pump
purifier purse puzzle rack racket radio rain rangefinder razor receipt receiver receivers rechargeable record
recorder recycled red reflector refrigerator refrigerators remote removable remover replacement resistant resin
restaurant rice ring road roaster rocket rod roller roof room rope round router rubber rug ruler runner running
saddle safe safety salt sandal sandals sander satin sauce saw scale scales scanner scarf scissors screen screens
screw screwdriver seat security sensor separate server shade shampoo sharpener shaver sheet sheets shelf shelves
shield shirt shirts shoe shoes shop short shorts shovel shower silicone silver sink size skate ski skillet skin
skirt sleeping sleeve slipper slippers slow smart smartphone smartwatch sneaker sneakers soap sock socket socks
sofa soft software solar soldering sound spare sparkle speaker speakers spice spoke sponge spoon sport sports spray
stainless stand standing stapler station steam steel steering stereo sterling stick sticker stickers stool storage
stove strap straw stroller strong studio style subwoofer suitcase sunglasses supplement supplies support surface
surge surround suspension sweater swim swimming swimsuit switch switches table tablet tablets tank tape tea
telephone telescope television temperature tennis tent tents therapy thermal thermometer thermostat thread throw
tie tile timer tire tissue toaster toilet toner tool toolbox tools tooth toothbrush toothpaste torch towel tower
toy toys tracker traditional trailer trainer training transmitter transparent travel tray treadmill tree trimmer
tripod trousers truck tube turntable tweezers umbrella undershirt underwater unicorn universal utensil vacuum valve
vase vegetable vehicle ventilation versatile vertical vest video vinyl violin vitamin wagon wall wallet wallpaper
warranty washer washing waste watch watches water waterproof wax weather webcam wedding weight wheel wheelchair
whistle white width window wine winter wire wired wireless women wood wooden wool work workstation wrench wrist
yoga zipper 4gb 1080p a4 usb2 lcd tv usb hdmi`)

// errors are typical misspellings, each with the intended word.
var errors = pairs(`
refrigeratr refrigerator refridgerator refrigerator refrigirator refrigerator refrigerater refrigerator
hedphones headphones headfones - headphnes headphones headphons headphones haedphones headphones heaphones headphones
keybord keyboard keyborad keyboard kyboard keyboard keyboad keyboard keyboatd keyboard keybaord keyboard
blutooth bluetooth bluetoth bluetooth bluethooth bluetooth bluetoooth bluetooth
moniter monitor montior monitor monitr monitor moniotr monitor monitar monitor
wirless wireless wireles wireless wierless wireless wirelss wireless wireliss wireless
batery battery battrey battery baterry battery battary battery bettery battery batteris batteries baterys battery
speeker speaker spaeker speaker speker speaker speakr speaker speakker speaker
labtop laptop latop laptop laptp laptop laptob laptop lapotp laptop
printre printer pritner printer printr printer prnter printer primter printer pronter printer
projecter projector  projetor projector porjector projector
cammera camera camra camera camara camera kamera camera cemera camera camrea camera
gamming gaming gameing gaming gaiming gaming gamin gaming
accross across acros across
jaket jacket jackit jacket jackett jacket jacekt jacket
suround surround surronud surround suround surround
vaccum vacuum vacum vacuum vaccuum vacuum vacumm vacuum 
recieveer receiver reciever receiver receaver receiver recever receiver
mattres mattress matress mattress mattrass mattress matteress mattress
accesories accessories acessories accessories accessoris accessories assessories accessories
adaptar adapter adpter adapter addapter adapter
calender calendar calandar calendar calculater calculator
charjer charger chargr charger chargar charger
cartrige cartridge cartidge cartridge catridge cartridge cartrigde cartridge
curtian curtain curtins curtains
dishwaser dishwasher dishwahser dishwasher
earings earrings earfones - earphons earphones
furnature furniture furnitur furniture furiture furniture
garantee - genarator generator generater generator
hairdrier hairdryer
jewelery jewellery
kichen kitchen kitchin kitchen
lether leather leathr leather leatehr leather
lugage luggage luggege luggage
microfone - micropone microphone microwav microwave microwve microwave micowave microwave
neckless - necklase necklace neclace necklace
perfum perfume parfume perfume
plastc plastic plasitc plastic
portible portable prtable portable
protecter protector protctor protector
scaner scanner scannner scanner
scisors scissors sissors scissors sciscors scissors
screan screen scren screen sreen screen
sheild shield
smartfone - smarphone smartphone smartwach smartwatch samrtwatch smartwatch
sofware software
stainles stainless stanless stainless
steriling sterling
strorage storage sorage storage
sunglases sunglasses sunglassses sunglasses
swiming swimming
tabel table tablett tablet teblet tablet tabelt tablet
telivision television televison television telescop telescope
thermomether thermometer thermastat thermostat
tolet toilet tooster toaster
toothbrsh toothbrush tothpaste toothpaste
trouers trousers trowsers trousers
umbrela umbrella umberella umbrella
waterprof waterproof
wallett wallet walet wallet
whele wheel
widow window windw window
womens women
zippper zipper`)

func words(text string) []string {
	list := strings.Fields(text)
	slices.Sort(list)
	return slices.Compact(list)
}

func pairs(text string) (list [][2]string) {
	for pair := range slices.Chunk(strings.Fields(text), 2) {
		list = append(list, [2]string{pair[0], pair[1]})
	}
	return list
}

func lexiconOf(list []string) *Lexicon {
	return New(len(list), func(i int) string { return list[i] })
}

func TestLexicon_Near_misspellings(t *testing.T) {
	t.Parallel()
	lexicon := lexiconOf(known)
	for _, e := range errors {
		written, meant := e[0], e[1]
		got := "-"
		if near := lexicon.Near(written, 3); len(near) > 0 {
			got = known[near[0].Word]
		}
		if got != meant {
			t.Errorf("%s reads %s, want %s", written, got, meant)
		}
	}
}

// Of two words with one error each, the one with the likelier kind of error is nearer.
func TestLexicon_Near_likelierErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ written, nearer, farther, why string }{
		{"batery", "battery", "bakery", "a letter doubled, not another letter"},
		{"tabel", "table", "label", "neighbours swapped, not another first letter"},
		{"moniter", "monitor", "moniker", "another vowel, not another consonant"},
		{"labtop", "laptop", "lastop", "a consonant of like sound"},
		{"pronter", "printer", "pronger", "a key beside the right one"},
		{"printr", "printer", "print", "a vowel left out, not a consonant too many"},
		{"beater", "heater", "teater", "the key beside b, even as the first letter"},
		{"gaming", "gamming", "naming", "the first letter is seldom wrong"},
	} {
		list := words(test.nearer + " " + test.farther)
		near := lexiconOf(list).Near(test.written, 2)
		if len(near) != 2 || list[near[0].Word] != test.nearer || near[0].Distance >= near[1].Distance {
			t.Errorf("%s: %v of %q, want %s first: %s", test.written, near, list, test.nearer, test.why)
		}
	}
}

func TestLexicon_Near_nothing(t *testing.T) {
	t.Parallel()
	list := words("ab abc abd abcd abcde abcdef 4gbs 128gb ddr4 ４gbs " + strings.Repeat("x", 32) + " " + strings.Repeat("x", 33))
	lexicon := lexiconOf(list)
	for written, want := range map[string]string{
		"":                      "",
		"ab":                    "",
		"abc":                   "", // too short, though known
		"abcx":                  "abc abcd",
		"abxcd":                 "abcd",
		"abbcdd":                "abcd abcde",
		"abxcdx":                "", // two errors of the unlikely kinds
		"xxabcd":                "",
		"gbs4":                  "",
		"4gbz":                  "",
		"ddrx":                  "",
		"xgbs":                  "",
		strings.Repeat("x", 31): strings.Repeat("x", 32),
		strings.Repeat("x", 32): strings.Repeat("x", 32),
		strings.Repeat("x", 33): "",
		strings.Repeat("x", 34): "",
	} {
		var got []string
		for _, s := range lexicon.Near(written, 9) {
			got = append(got, list[s.Word])
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%q is near to %q, want %q", written, got, want)
		}
	}
}

func TestLexicon_Near_orderAndLimit(t *testing.T) {
	t.Parallel()
	list := words("tents tenty tent tens vent")
	lexicon := lexiconOf(list)
	near := lexicon.Near("tent", 9)
	var got []string
	for _, s := range near {
		got = append(got, list[s.Word])
	}
	if strings.Join(got, " ") != "tent tenty tens tents vent" || near[0].Distance != 0 {
		t.Errorf("got %q at %v", got, near)
	}
	if two := lexicon.Near("tent", 2); !slices.Equal(two, near[:2]) {
		t.Errorf("two are %v, not the first of %v", two, near)
	}
	if none := append(lexicon.Near("tent", 0), lexicon.Near("tent", -1)...); len(none) != 0 {
		t.Errorf("none are %v", none)
	}
}

func TestLexicon_Near_otherScripts(t *testing.T) {
	t.Parallel()
	list := words("αδιαβροχο клавиатура мышка наушники キーボード ノートパソコン")
	lexicon := lexiconOf(list)
	for written, want := range map[string]string{
		"клавиатра": "клавиатура", "клваиатура": "клавиатура", "наушникки": "наушники", "мишка": "мышка",
		"αδιαβρχο": "αδιαβροχο", "キボード": "キーボード", "ノトパソコン": "ノートパソコン",
	} {
		near := lexicon.Near(written, 1)
		if len(near) != 1 || list[near[0].Word] != want {
			t.Errorf("%s reads %v of %q, want %s", written, near, list, want)
		}
	}
}
