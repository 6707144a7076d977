package embeddings

import "strings"

// groups are words of shopping that mean nearly the same.
var groups = strings.Split(strings.TrimSpace(`
couch sofa settee loveseat divan
laptop notebook ultrabook
trousers pants slacks
phone mobile cellphone smartphone handset
sneakers trainers
shirt tee tshirt top
sweater jumper pullover jersey
jacket coat parka anorak
raincoat mackintosh waterproof rainproof
hat cap beanie
tv television telly
fridge refrigerator icebox
stove cooker oven range
rug carpet mat
curtain drape blind
lamp light lantern luminaire
torch flashlight headlamp
cup mug tumbler
pan skillet frypan
pot saucepan cookware
glasses spectacles eyewear
sunglasses shades
purse handbag clutch
backpack rucksack knapsack daypack
suitcase luggage trolley
wallet billfold
stroller pram buggy pushchair
diaper nappy
crib cot bassinet
bike bicycle cycle
car auto automobile vehicle
tent shelter bivouac
bottle flask canteen
boot boots
shoe shoes footwear
sandal sandals flipflop
dress gown frock
swimsuit bikini swimwear
underwear briefs boxers
sock socks stockings
scarf shawl
glove mitten gloves
watch wristwatch timepiece
necklace pendant
earbuds earphones headphones headset
speaker loudspeaker
keyboard keypad
screen monitor display
printer copier
camera camcorder
drill driver
hammer mallet
wrench spanner
mower lawnmower
vacuum hoover
broom brush
soap cleanser
shampoo haircare
perfume fragrance cologne scent
medicine remedy
toy plaything
doll puppet
game puzzle
book novel paperback
pen ballpoint
cushion pillow
blanket throw duvet quilt
desk table
chair seat stool
cupboard wardrobe closet cabinet
bin trash garbage wastebasket
cheap inexpensive affordable budget
small little tiny compact
big large huge
warm cosy insulated thermal
kid child children junior
woman women lady ladies
man men gentleman
`), "\n")

// concepts maps every word of a group to the group's first word.
var concepts = func() map[string]string {
	all := make(map[string]string)
	for _, group := range groups {
		words := strings.Fields(group)
		for _, word := range words {
			all[word] = words[0]
		}
	}
	return all
}()

// stop are words that are not counted.
var stop = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "at": true, "by": true, "for": true, "from": true, "i": true, "in": true,
	"is": true, "it": true, "my": true, "of": true, "on": true, "or": true, "that": true, "the": true, "this": true, "to": true,
	"with": true, "you": true, "your": true,
}
