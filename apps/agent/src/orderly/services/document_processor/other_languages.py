"""Recognises text of other languages than English by their function words, to tell it from text with a wrong font mapping."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{2,}")

_FUNCTION_WORDS = tuple(
    frozenset(words.split())
    for words in (
        # Latin, and the placeholder text of typesetters.
        "et in ut ad non est cum ex ab de per aut sed qui quae quod si ac nec vel sit amet sunt ipsum dolor eu nunc nulla",
        # German
        "der die das und in den von zu mit dem des ist nicht ein eine auf für im sich oder werden an auch nach bei wird einer",
        # French
        "de la le et les des en du un une que est pour par dans il au sur ce pas ou qui ne se plus avec son sa aux cette",
        # Spanish
        "de la que el en los se del las un por con no una su para es al lo como más sus le este esta entre sin",
        # Italian
        "di il la che in del per una un con non si da dei le della al nel sono delle alla gli come dal ogni essere ed",
        # Portuguese
        "de que do da em um para com não uma os no se na por mais as dos como ao das ou pelo pela seu sua nos",
        # Dutch
        "de het een van en in op te dat is voor met die zijn niet aan door of als bij om uit ook deze wordt der over",
        # Swedish, Danish, Norwegian
        "och att det som en på är av för med den till inte om ett de er og af ikke til der har eller ved skal denne",
        # Polish, Czech, Slovak
        "na do nie się jest że to od przez dla oraz lub po za je se že pro ve ze jako nebo podle ako sú pri ktoré",
        # Croatian, Slovene
        "je na se za od su da ne ili koji te po iz ako ima kao ter bo pri ki so tudi če in kot",
        # Romanian
        "de la în și din cu pe nu un care ce pentru sau se este prin al ale sunt mai ca va fi cele lor",
        # Hungarian
        "az és egy hogy nem is meg ez vagy ha van csak mint el de azt ki be szerint valamint ezen illetve kell alapján",
        # Finnish, Estonian
        "ja on ei että se oli tai kun sen myös ovat joka mukaan sekä ole voi kuin mutta ning või et mis kui see selle",
        # Turkish
        "ve bir bu için ile da de olarak olan daha gibi çok sonra kadar en her veya göre tarafından ise ya ancak",
        # Indonesian, Malay
        "yang dan di ini untuk dengan dari pada itu dalam tidak akan oleh ke atau adalah juga sebagai telah dapat para",
        # Vietnamese
        "và của là các có được cho trong không một với này theo những khi đã người từ để về bên hợp",
    )
)


def function_share(text: str) -> float:
    """Share of the words that are function words of one language, for the language that has most of them, 0..1."""
    words = _WORD.findall(text.lower())
    if not words:
        return 0.0
    return max(sum(word in language for word in words) for language in _FUNCTION_WORDS) / len(words)
