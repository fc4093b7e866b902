"""The word lists and sentence patterns of the embedded sample; all names are made up.

Slots of entities: {c1} a company, {c1s} its short name, {p1} a person, {p1s} the family
name alone, {l1} a place, {m1} a sum of money, {u1} a price;
another number is another one. Any other slot is filled from `FILLERS`.
"""


def words(text: str) -> list[str]:
    return text.split()


def phrases(text: str) -> list[str]:
    return text.replace("\n", "").split("|")


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


GIVEN_NAMES = words("""
Aldis Amara Anouk Ansel Ari Astrid Bela Benno Birgit Brona Cael Calla Casper Cato Cora
Dario Delia Edda Eamon Elin Emeric Esme Fabian Faye Felix Fiora Gideon Greta Hal Hana
Hedda Hugo Ilse Imre Ines Ivo Jarek Joss Judit Kai Kasia Keir Lars Leda Leon Linus Livia
Maia Maren Marek Milo Mina Nadia Nell Niko Nora Odile Olaf Oren Otto Paloma Petra Pim
Quinn Rafe Rhea Roan Rosa Rune Sabine Sana Silas Sofie Sven Tamsin Tariq Tess Tilda Timo
Tobin Ulla Una Vera Vito Wanda Wim Xenia Yara Yusuf Zadie Zoltan
""")

FAMILY_STEMS = words("""
Ald Brax Cald Corl Dray Drav Elsh Fenn Galb Garr Hald Hask Ist Jarr Keld Kest Lorr Lusk
Marv Morr Nesh Nord Orr Ost Pell Prest Quar Rand Rusk Sarr Sorr Tarn Thal Ulv Vant Vesk
Wend Wolf Yarl Zell
""")
FAMILY_ENDINGS = words("ick ell ow ane ard een er ham ley man son ton ford well wood")

# Combinations that are names in the real world.
REAL_NAMES = words("""
Alder Barmouth Belgrad Calder Caldwell Dunbury Falmouth Galbury Garrard Garrick Garrow
Haldane Halica Jarrell Maldorf Marana Marbury Marvell Melbury Montana Morrell Morrow
Nordson Norstad Orrell Orrick Peller Randell Rosica Salica Sandhaven Sorrell Tarnow
Thaler Torica Valica Wendell Wolfson Zeller
""")

PLACE_STEMS = words("""
Aber Alm Ander Bar Bel Bran Cas Cor Dal Dun Eld Esk Fal Fen Gal Glen Gren Hal Har Hol
Inver Kal Kel Kirk Lang Lin Lun Mal Mar Mel Mont Nor Oster Pel Pol Quin Rav Ros Sal
Sand Sel Strath Tal Tor Ul Val Ver Wick Wyn Zan
""")
PLACE_ENDINGS = words("""
mouth haven bury port vale stad grad borough minster field oria ica ana dorf wold holm
""")
PLACE_FRAMES = phrases("""
{}|{}|{}|{}|{}|{}|North {}|South {}|Port {}|New {}|Upper {}|{} Bay|{} County|{} City
|{} Valley|{} Falls
""")

COINED_STEMS = words("""
Aeri Axo Bri Cyra Dexi Elo Ferro Gyra Hexa Iono Juno Kyne Lumo Meri Nexo Ori Prax Quo
Ryla Syla Tera Uno Vexa Wira Xylo Zeno
""")
COINED_ENDINGS = words("dyne trix vane lane core gen sol nix mark phor via tek rion")

# Words of the trade that are also names of companies.
COMMON_WORDS = words("""
Anchor Apex Beacon Bridge Catalyst Compass Copper Cornerstone Crown Ember Forge Frontier
Granite Harbour Harvest Horizon Keystone Lantern Meridian Orchard Pioneer Pivot Quarry
Ridge Sentinel Signal Sterling Summit Tandem Timber Vanguard Vista
""")

INDUSTRIES = phrases("""
Steel|Foods|Airlines|Energy|Motors|Mining|Pharma|Insurance|Savings Bank|Shipping|Paper
|Telecom|Cement|Retail|Water|Rail|Chemicals|Textiles|Oil|Media
""")
COMPANY_ENDINGS = phrases("""
Group|Holdings|Inc.|Plc|Corp.|Partners|Capital|AG|Industries|& Co.|Bank|NV|Technologies
|Labs|Brothers|Systems
""")

FILLERS = {
    "day": "Monday|Tuesday|Wednesday|Thursday|Friday|the weekend",
    "month": "January|February|March|April|May|June|July|August|September|October",
    "quarter": "first|second|third|fourth",
    "year": "2017|2018|2019|2020|2021|2022|2023|2024",
    "pct": "0.4%|0.7%|1.2%|1.8%|2.5%|3.1%|4.6%|5%|6.3%|7.5%|8 percent|9.4%|11%|18%|22%"
    "|14 percent|a third|a quarter|nearly half",
    "rate": "0.5%|1.25%|2%|2.9%|3.75%|4.5%|5 percent|6%|7.1%|8.25%|12%|17 percent|30%",
    "num": "two|three|four|five|six|a dozen|eight|ten",
    "count": "90|120|240|300|450|600|850|1,200|2,400|3,700|5,000|11,500|18,000|26,000",
    "weight": "40,000 tonnes|1.2 million tonnes|650,000 tonnes|9 million tonnes",
    "output": "3 million barrels|85,000 barrels a day|600 megawatts|12 million units"
    "|250,000 vehicles|1.2 million tonnes|1.5 billion cubic metres",
    "role": "chief executive|chairman|finance director|chief operating officer|head of "
    "strategy|general counsel|chief economist|head of trading|company secretary",
    "Role": "Chief Executive|Chairman|Finance Minister|Chief Financial Officer|Governor"
    "|Trade Secretary|Deputy Governor|Energy Minister|Senator|Judge|Commissioner",
    "title": "Mr|Ms|Mrs|Dr|Sir|Professor",
    "Adviser": "Analyst|Economist|Strategist|Fund manager|Trader",
    "adviser": "analyst|economist|strategist|portfolio manager|trader|partner",
    "an_adviser": "an analyst|an economist|a strategist|a portfolio manager|a trader",
    "sector": "steel|banking|retail|airline|semiconductor|insurance|shipping|dairy"
    "|software|mining|telecoms|property|packaging|power",
    "goods": "copper|wheat|crude oil|aluminium|natural gas|coffee|sugar|zinc|lithium"
    "|cotton|soya|iron ore|palm oil|timber",
    "product": "batteries|turbines|vaccines|tractors|memory chips|cargo ships|lorries"
    "|breakfast cereal|trainers|medical scanners|mobile phones|tyres",
    "asset": "smelter|refinery|warehouse|assembly plant|data centre|shipyard|paper mill"
    "|wind farm|call centre|copper mine|container terminal|brewery",
    "an_asset": "an assembly plant|a smelter|a refinery|a data centre|a wind farm"
    "|an oil terminal|a shipyard|a brewery",
    "paper": "bonds|preferred shares|notes due in {year}|convertible debt|new shares",
    "up": "rose|climbed|jumped|gained|advanced|added|surged",
    "down": "fell|dropped|slid|lost|slipped|shed|sank|tumbled",
    "say": "said|added|told reporters|told analysts|told investors|wrote in a note"
    "|said in an interview|said in a statement",
    "why": "as demand for {goods} weakened|after a warning on margins|on hopes of"
    " lower interest rates|because of higher fuel costs|as the dollar firmed|after a"
    " cautious outlook from the {sector} industry|despite better sales abroad|on strong"
    " orders for {product}|as investors took profits|after the regulator opened an"
    " inquiry|amid fears of a {sector} price war|as the harvest came in late|after"
    " rival bids were ruled out",
    "past": "on {day}|late on {day}|in {month}|earlier this month|last week|last year"
    "|a day earlier|in {month} {year}",
    "move": "on {day}|in early trading|by midday|at the close|in the {quarter} quarter"
    "|last week|this year|in {month}|over the past year",
    "soon": "on {day}|in {month}|next week|next year|by {month}|before the summer"
    "|within weeks|later this year",
    "goal": "to cut debt|to expand abroad|to settle old claims|to modernise its fleet"
    "|to close the gap with larger rivals|to win over sceptical shareholders"
    "|to meet new capital rules|to buy back {paper}|to lower its energy bill",
    "matter": "the merger|the dispute|the inquiry|the rescue plan|the new tariff"
    "|the pension deficit|the sale|the licence|the pay claim|the audit",
}

TEMPLATES = lines("""
{c1} said {past} that profit {up} {pct} to {m1}, helped by sales of {product}.
Shares in {c1} {down} {pct} {move} {why}.
{c1} shares {up} {pct} to {u1}, their best level since {month} {year}.
{c1} agreed to buy {c2} for {m1} in cash, the companies said {past}.
{c1} has agreed to sell its {sector} arm to {c2} for {m1}, {p1}, the {role}, {say}.
{p1} will step down as {role} of {c1} in {month} and be succeeded by {p2}.
{c1} named {p1} as {role}, replacing {p2}, who left {past}.
{c1}'s {role}, {p1}, bought {count} shares at {u1} each {past}.
"We see no need for a rights issue," {p1}, {role} of {c1}, {say}.
"The price of {goods} will not recover before {month}," said {p1}, {an_adviser} at {c1}.
{Adviser} {p1} of {c1} cut the target price for {c2} to {u1} from {u2}.
{Role} {p1} said {past} that the government would not rescue {c1}.
{Role} {p1s} declined to comment on {matter}.
{p1s}, who founded {c1} in {l1}, owns {rate} of the shares.
{p1s} and {p2s} disagreed over {matter}, people close to {c1} said.
{l1}-based {c1} will build {an_asset} in {l2} at a cost of {m1}.
{c1} will close its {asset} in {l1}, with the loss of {count} jobs.
The {asset} near {l1} produces {output} and employs {count} people.
Workers at the {c1} {asset} in {l1} voted {past} to strike over pay.
{l1}'s central bank left interest rates unchanged at {rate} {past}.
{l1} exported {weight} of {goods} in {month}, up {pct} on the year.
Inflation in {l1} eased to {rate} in {month}, while prices in {l2} {up} {pct}.
The finance ministry in {l1} raised {m1} from the sale of {paper}.
A court in {l1} ordered {c1} to pay {m1} to former customers.
{c1} was fined {m1} by regulators in {l1} for misleading investors.
{c1} denied that it had broken sanctions on {l1}.
Prosecutors in {l1} charged {p1}, a former {role} of {c1}, with fraud.
{p1} pleaded guilty {past} and will repay {m1}.
The takeover of {c1} by {c2} values {p1}'s stake at {m1}.
{c1} and {c2} called off merger talks {past}.
{c1}, {c2} and {c3} are each preparing bids for the {asset} in {l1}.
Among the losers, {c1} {down} {pct} and {c2} {down} {pct}.
Among the gainers were {c1}, up {pct}, and {c2}, up {pct}.
{c1} ({l1}) {up} {pct}; {c2} ({l2}) {down} {pct}.
{c1}: {quarter}-quarter net income {m1} versus {m2} a year earlier.
BRIEF - {c1} names {p1} {role}.
UPDATE 1 - {c1} to cut {count} jobs in {l1}.
{c1} to pay {m1} for {c2}'s {sector} business.
{p1}: {l1} cannot afford another year of {sector} subsidies.
Bondholders led by {c1} accepted {m1}, or {rate} of face value.
{c1} posted a loss of {m1} {past}, its first since {year}.
{c1} said it had borrowed {m1} from {c2} {goal}.
Analysts polled by {c1} had expected a profit of {m1}.
{p1}, {an_adviser} with {c1} in {l1}, said the shares looked cheap.
"{c1} has run out of road," said {p1} at {c2}.
"I would rather own {c1} than {c2}," one {adviser} said.
{title} {p1s} said {c1} would keep its headquarters in {l1}.
{title} {p1s} joined {c1} from {c2} in {year}.
Neither {c1} nor {title} {p1s} responded to requests for comment.
{p1}'s departure leaves {c1} without a {role}.
{p1} spent {num} years at {c1} before moving to {l1}.
Born in {l1}, {p1} trained as an engineer and joined {c1} in {year}.
{p1}, {p2} and {p3} will join the board of {c1}.
{c1} appointed {p1} {role} and said {p2} would run its business in {l1}.
The fund, managed by {p1}, holds {rate} of {c1}.
{c1} won a {m1} order for {product} from {c2}.
{c1} recalled {count} {product} sold in {l1} and {l2}.
Flights between {l1} and {l2} were halted after fuel ran short, {c1} said.
The pipeline from {l1} to {l2} will carry 1.5 billion cubic metres of gas a year.
A {m1} loan to {l1} was approved {past} despite doubts about {matter}.
{l1} and {l2} signed a trade pact covering {goods} and {product}.
Ministers from {l1}, {l2} and {l3} will meet {soon} to discuss {goods} quotas.
{Role} {p1} flew to {l1} {past} for talks with {Role} {p2}.
Traders in {l1} said {goods} for delivery in {month} {up} to {u1} a tonne.
In {l1}, {goods} futures {down} {pct} to {u1} a bushel.
Heavy rain in {l1} delayed the harvest, traders said.
The stock exchange in {l1} suspended trading in {c1} {past}.
The {l1} index {up} {pct}, led by {c1}.
Stocks in {l1} {down} {pct} {why}.
House prices in {l1} {down} {pct}, according to {c1}.
{c1} operates {num} stores in {l1} and plans to open {count} more.
{c1} moved its head office from {l1} to {l2} {goal}.
Tourism in {l1} has yet to recover, {p1} of {c1} {say}.
{c1} said the storm off {l1} had cut output by {weight}.
{c1} paid its {role} {m1} last year, {rate} more than in {year}.
The dividend was raised to {u1} a share from {u2}.
Revenue of {m1} missed forecasts, and {c1s} {down} {pct} in {l1}.
{c1} priced {paper} worth {m1} {past}.
{c1} wrote off {m1}, blaming weak demand for {product} in {l1}.
A rise in {goods} prices added {m1} to costs at {c1}.
Insurers face claims of {m1} after floods in {l1}, {c1} estimates.
{m1} was set aside for legal costs, {c1} said.
It offered {u1} a share, valuing the company at {m1}.
The buyer paid {m1} up front and will pay {m2} if targets are met.
The minister said the budget would fall short by {m1} {soon}.
Losses widened to {m1} {why}.
The company, which is controlled by the {p1s} family, has debts of {m1}.
The {p1s} family sold its last shares in {c1} {past}.
{c1}, founded by {p1} in {year}, has {count} employees.
{c1} (formerly {c2}) is based in {l1}.
"{p1s} is the right person for the job," {c1} {say}.
"{c1s} is the right fit for us," {p1} {say}.
Investors such as {c1} and {p1} backed the plan {goal}.
{p1} sued {c1} in {l1}, seeking {m1} in damages.
{c1} hired {c2} to advise on {matter}.
{c1s}-backed {c2} will list in {l1} {soon}.
Talks with {c1} over {matter} broke down {past}.
Talks with {p1s} over {matter} broke down {past}.
Talks with {l1} over {matter} broke down {past}.
Much now depends on {c1}.
Much now depends on {p1s}.
Much now depends on {l1}.
{c1s} was unavailable for comment.
{p1s} was unavailable for comment.
The decision surprised {c1s}, whose {asset} had just opened.
The decision surprised {p1s}, whose contract had just been renewed.
The decision surprised {l1}, whose economy depends on {goods}.
Critics of {p1s} point to the {year} collapse of {c1s}.
Critics of {c1s} point to its record in {l1}.
For {c1s}, the {sector} market in {l1} is worth {m1} a year.
For {p1s}, the vote was a defeat.
After {c1s}, {c2s} is the largest maker of {product} in {l1}.
After {l1}, {l2} is the largest market for {product}.
After {p1s}, {p2s} is the longest-serving member of the board.
{c1s} fell behind {c2s} in {product} {past}.
{l1} fell behind {l2} in exports of {goods}.
{p1s} won the argument, but {c1s} lost {m1}.
{c1s} is expected to report {soon}.
{p1s} is expected to resign {soon}.
{l1} is expected to raise rates {soon}.
A spokeswoman for {c1s} said {matter} was closed.
A spokesman for {p1} said {matter} was a private affair.
A spokesman for {l1} port said {weight} of {goods} had been delayed.
{c1} and its partner in {l1}, {c2}, will share the cost of {m1}.
{c1} has until {day} to raise its offer, which {p1} called "an insult".
{c1} supplies {product} to {c2}, {c3} and the government of {l1}.
At {c1}, {num} directors including {p1} will leave; {p2} stays on as {role}.
From {l1} to {l2}, producers of {goods} are selling at a loss.
In a letter to {p1}, {c1} offered {m1} for the {asset}.
Once run from {l1} by {p1}, {c1} now belongs to {c2}.
Behind the rise was {c1}, which {up} {pct} {why}.
Who will pay the {m1} that {c1} owes is unclear.
What {p1} wants, {c1} rarely refuses.
Unlike {c1}, {c2} makes most of its money in {l1}.
Only {l1} voted against, {Role} {p1} {say}.
Sales {up} {pct} in {l1} but {down} {pct} in {l2}, according to {c1}.
The {c1} deal, worth {m1}, still needs approval in {l1}.
Both {p1} and {c1} deny wrongdoing.
The chief suspect, {p1}, left {l1} {past}.
Residents of {l1} have opposed the {asset} since {year}.
""")

# Sentences without entities; many start with a word that is elsewhere a company.
PLAIN_TEMPLATES = lines("""
Anchor investors took {rate} of the offer.
Apex courts rarely hear cases about {sector} rules.
Beacon lights along the canal were out for {num} days.
Bridge loans have become scarce since {month}.
Catalyst prices {up} {pct} as refiners restocked.
Compass makers, like other suppliers to the navy, were paid late.
Copper stocks {down} {pct} {move}.
Crown lands cannot be sold without a vote.
Ember warnings closed {num} forest roads {past}.
Forge workers accepted a pay rise of {rate}.
Frontier markets had their best month since {year}.
Granite exports {up} {pct} {move} {why}.
Harbour fees will go up by {rate} in {month}.
Harvest estimates were cut again {past}.
Horizon planning is harder when rates move this fast.
Lantern sales always peak in {month}.
Orchard owners want the tariff on juice removed.
Pioneer investors in {sector} shares have little to show for it.
Quarry owners fear tighter rules on dust.
Ridge farmers have switched from {goods} to {goods}.
Signal failures cost the railway {count} hours {past}.
Sterling {down} {rate} against the dollar {move}.
Summit talks ended without a deal {past}.
Timber prices {up} {pct} {why}.
Vista views add {rate} to the price of a flat, estate agents say.
The market for {product} remains weak, and few expect a recovery before {month}.
Volumes were thin {past} because of a public holiday.
No decision on {matter} is expected before {month}.
The regulator is reviewing {num} complaints about {sector} pricing.
Consumer confidence {up} {move}, the first gain since {month}.
The board will meet {soon} to discuss {matter}.
Output of {goods} reached {weight} {past}.
Shareholders approved {matter} with {rate} voting against.
Most {sector} shares {down} {move} {why}.
About {count} jobs are at risk, according to the union.
The bank said it would hire {count} people {goal}.
Unemployment stood at {rate} in {month}, unchanged from a year earlier.
The company expects sales to grow by {rate} to {rate} next year.
Yields on ten-year bonds {up} {num} basis points.
Its {role} resigned {past}, and the search for a successor goes on.
"Nobody wants to be the first to sell," one {adviser} said.
"It is far too early to talk about {matter}," the minister {say}.
The figures are not adjusted for inflation.
""")

# What may come before a sentence that starts with an entity ...
OPENERS = phrases("""
Meanwhile,|Separately,|In a surprise move,|By contrast,|For now,|In short,|As expected,
|According to a filing,|Analysis:|EXCLUSIVE:|Elsewhere,|Despite {matter},
""")
# ... and after one that names no source.
TAILS = phrases("""
, {p8} said|, according to {c8}|, a filing showed|, two people briefed on {matter} said
|, {p8} of {c8} told reporters|, {c8} reported from {l8}|, {Role} {p8s} said
""")
