// Forms of published attacks in languages with Latin letters. They match text without accents and with one space between two words. Each form
// is bounded. An order needs a verb and its object, so that text about prompts passes.

/** Texts without any of these have none of the forms. One search costs less than all forms. */
export const mayInstruct =
  /ignor|disregard|forget|overrid|bypass|neglect|discard|attention to|follow|listen|you are|you're|instruction|system|not tell|not (?:inform|mention|alert|notify)|never|from now on|before you|language model|\b(?:ai|llm|gpt|claude|agent|assistant|chatbot)s?\b|verg(?:iss|ess|eet)|missacht|jetzt|nutzer|oubli|tenez|tiens|utilisateur|desormais|olvid|descart|caso omiso|usuario|ahora|dimentic|trascur|utente|esque[cq]|desconsider|utilizador|agora|negeer|gebruiker|zapomnij|pomin|glom|bortse|talimat|komut/i;

const previous =
  'previous|prior|earlier|above|preceding|former|foregoing|past|existing|original|initial|system|safety|other';
const orders =
  'i\\w{0,2}nstructions?|prompts?|rules?|directions?|directives?|guidelines?|guidance|messages?|context|commands?|orders?|restrictions?|polic(?:y|ies)|programming|training';

export const instructions: readonly RegExp[] = [
  // English
  form(
    `(?:ignore|disregard|forget|override|bypass|neglect|discard|(?:do not|don't|stop) follow(?:ing)?|pay no attention to|(?:do not|don't) listen to) ` +
      `(?:(?:all|any|of|the|your|every|these|those|my|about) ){0,4}(?:(?:${previous}) ){1,3}(?:and \\w{1,12} )?(?:${orders})`,
  ),
  form(
    '(?:ignore|disregard|forget) (?:everything|anything|all)(?: (?:of|that|is|was|were|has|have|been|you|i|the|text|else)){0,4} (?:above|before (?:this|now)|prior|previously|(?:said|told|written|learned|mentioned) (?:above|before|earlier|so far))',
  ),
  form(
    `(?:ignore|disregard|forget|override|bypass|abandon|discard) (?:(?:all|of|about) ){0,2}your (?:(?:own|safety|content|ethical|usual|current) ){0,2}(?:${orders})`,
  ),
  form(
    `(?:ignore|disregard) (?:(?:the|all|any|these|those) )?(?:instructions|directions),? and (?:just |only |instead )?\\w`,
  ),
  form('ignore the rest of (?:this|the) (?:data|text|document|page|passage|input|e-?mail),? and '),
  form(
    "(?:you are|you're) (?:now|no longer) (?:(?:a|an|in (?:\\w{1,20} ){0,2}mode|the|bound|called|acting|operating|jailbroken|unrestricted|free|dan)\\b)",
  ),
  form(
    'from now on,? (?:you (?:are|will|must|should|shall) (?:act|be|behave|respond|answer|pretend|only|always|obey|follow)|act as|respond (?:only )?(?:as|with))\\b',
  ),
  form('(?:act|answer|behave|respond) as (?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken) '),
  form('pretend (?:that )?you (?:are not an ai|have no (?:rules|restrictions|guidelines|limits))\\b'),
  /\b(?:new|updated|real|actual|revised) (?:system (?:prompt|message|instructions?)|instructions? for (?:the |you)(?:ai|assistant|model|llm|agent)?|instructions) ?:/gi,
  /\bsystem override\b ?[:!]/gi,
  form(
    '(?:reveal|print|show|repeat|output|send|leak|forward) (?:me )?(?:your|the) (?:(?:full|entire|hidden|secret|initial|original|exact) )?(?:system prompt|system message|(?:initial|original|hidden|secret) (?:prompt|instructions))(?! of the day)',
  ),
  form('what (?:are|is|were|was) your (?:(?:system|initial|original|hidden|secret) ){1,2}(?:prompt|instructions)'),
  form(
    '(?:send|forward|e-?mail|upload|post|exfiltrate|leak) (?:(?:all|of|the|this|your|our|entire|full|whole) ){0,4}(?:conversation(?: history)?|chat (?:history|logs?)) to\\b',
  ),
  /\b(?:do not|don't|never) (?:tell|inform|mention (?:this |it )?to|alert|notify) the user\b(?! (?:twice|again|more|to)\b)/gi,
  form('keep (?:this|it) (?:a )?(?:secret|hidden) from the user'),
  /\b(?:attention|important|note)[ ,:!-]{1,4}(?:(?:ai|assistant|llm|language model|agent|chatbot|gpt|claude)s?\b)[ ,:!-]{1,4}(?:please |you must |you should |must )/gi,
  /\b(?:note|message|attention|notice|reminder|instructions?) (?:to|for) (?:(?:the|any|all|every|an|this) ){0,2}(?:ai|llm|(?:large )?language model|chatbot|gpt|claude)s?(?: (?:assistants?|models?|agents?|readers?))?(?: (?:reading|processing|summari[sz]ing) this(?: \w{1,12})?)? ?[:,-]/gi,
  /\b(?:note|message|instructions?) (?:to|for) (?:(?:the|any|this) ){0,2}(?:assistant|agent|model)s? ?[:,-] ?(?:please )?(?:you must|you should|ignore|call|send|forward|execute|run|do not|reply|respond)\b/gi,
  form(
    "if you(?:'re| are) (?:an? |the )?(?:ai|llm|(?:large )?language model|chatbot|ai (?:assistant|agent|model))(?:,|:| reading| processing| summari[sz]ing)",
  ),
  form(
    'before you (?:can )?(?:solve|do|complete|finish|answer|continue|proceed|start)(?: with)? (?:the|your|my|this) (?:\\w{1,12} ){0,3}(?:i|the user|we|they) (?:gave|asked|assigned)(?: to)? you',
  ),
  // German
  form(
    '(?:ignorier(?:e|t|en sie)|vergiss|vergesst|vergessen sie|missacht(?:e|et|en sie)) (?:(?:alle|bitte|die|deine|ihre|samtliche) ){0,3}(?:vorherigen|bisherigen|obigen|fruheren|vorangegangenen|vorigen|ursprunglichen) (?:system ?)?(?:anweisungen|regeln|befehle|instruktionen|vorgaben|richtlinien|aufforderungen)',
  ),
  form(
    '(?:ignorier(?:e|t|en sie)|vergiss|vergesst|vergessen sie) (?:bitte )?alles (?:bisherige|vorherige|obige|davor|was (?:oben|davor|zuvor|bisher))',
  ),
  form('(?:ignorier|vergiss|missacht)e? (?:alle )?deine (?:anweisungen|regeln|richtlinien|vorgaben|instruktionen)'),
  form('du bist (?:jetzt|ab jetzt|nun) (?:ein|eine|kein|frei|im \\w{1,20}modus)\\b'),
  form('(?:sag|sage|verrate|erzahle|melde) (?:es |das |dies )?dem (?:be)?nutzer (?:nichts?|das nicht|davon nichts)'),
  form(
    '(?:zeig|zeige|gib|verrate|nenne|wiederhole) (?:mir )?(?:deinen|den|deine|die) (?:system ?prompt|systemanweisung(?:en)?|ursprunglichen anweisungen)',
  ),
  // French
  form(
    "(?:ignore[rz]?|oublie[rz]?|ne (?:tiens|tenez) pas compte) (?:(?:toutes|des|de|les|vos|tes|ces) ){0,3}(?:instructions|consignes|regles|directives|ordres) (?:precedent(?:e?s)|anterieur(?:e?s)|ci-dessus|initiales|d'origine)",
  ),
  form('(?:ignore[rz]?|oublie[rz]?) tout ce qui (?:precede|est (?:ecrit )?(?:ci-dessus|avant))'),
  form('(?:tu es|vous etes) (?:maintenant|desormais) (?:un|une|libre|en mode)\\b'),
  form("ne (?:dis|dites|revele[zr]?) (?:rien|pas (?:cela|ceci)) a l'utilisateur"),
  form(
    '(?:revele|affiche|montre|repete)[zr]?(?: ?-? ?moi)? (?:ton|votre|le) (?:prompt|message|invite)(?: du)? systeme',
  ),
  // Spanish
  form(
    '(?:ignor(?:a|e|ad|en)|olvid(?:a|e|ad|en)|descart(?:a|e|en)|haz caso omiso de|no (?:sigas|hagas caso a)) (?:(?:todas|todos|las|los|tus|sus|estas) ){0,3}(?:instrucciones|ordenes|reglas|indicaciones|directrices) (?:anteriores|previas|precedentes|originales|de arriba)',
  ),
  form('(?:ignor(?:a|e|ad)|olvid(?:a|e|ad)) todo lo (?:anterior|previo|de arriba)'),
  form('(?:ahora|a partir de ahora) eres (?:un|una|libre)\\b'),
  form('no (?:le |se lo )?(?:digas|informes|cuentes|menciones)(?: (?:nada|esto))? al usuario'),
  form('(?:revela|muestra|imprime|repite)(?:me)? (?:tu|el) (?:prompt|mensaje) (?:del?|de) sistema'),
  // Italian
  form(
    '(?:ignora(?:te)?|dimentica(?:te)?|trascura(?:te)?) (?:(?:tutte|le|tue|vostre|queste) ){0,3}(?:istruzioni|regole|indicazioni|direttive) (?:precedenti|anteriori|originali|di cui sopra|qui sopra)',
  ),
  form('(?:ignora(?:te)?|dimentica(?:te)?) (?:tutto (?:cio che precede|quanto sopra)|quanto sopra)'),
  form("non (?:dire|dirlo|rivelare)(?: (?:nulla|niente|questo))? all'utente"),
  form('(?:rivela|mostra|stampa|ripeti)(?:mi)? (?:il tuo|il) (?:prompt|messaggio) di sistema'),
  // Portuguese
  form(
    '(?:ignore|ignora|esqueca|esquece|desconsidere) (?:(?:todas|as|suas|tuas|estas) ){0,3}(?:instrucoes|ordens|regras|orientacoes|diretrizes) (?:anteriores|previas|originais|acima)',
  ),
  form('(?:ignore|ignora|esqueca|esquece) tudo (?:acima|o que (?:veio antes|foi dito|esta acima))'),
  form('nao (?:diga|informe|conte|mencione)(?: (?:nada|isso|isto))? ao (?:usuario|utilizador)'),
  form('(?:revele|mostre|imprima|repita)(?:-me)? (?:o seu|seu|o) prompt (?:do|de) sistema'),
  // Dutch, Polish, Swedish, Turkish
  form(
    '(?:negeer|vergeet) (?:(?:alle|de|je|jouw|uw) ){0,3}(?:vorige|voorgaande|eerdere|bovenstaande|oorspronkelijke) (?:instructies|opdrachten|regels|aanwijzingen|richtlijnen)',
  ),
  form('(?:vertel|zeg) (?:het |dit )?(?:niet )?(?:aan )?de gebruiker (?:niets|niet|hier niets over)'),
  form(
    '(?:z?ignoruj|zapomnij o|pomin) (?:(?:wszystkie|wszystkich|swoje|swoich) ){0,2}(?:poprzedni(?:e|ch)|wczesniejsz(?:e|ych)|powyzsz(?:e|ych)) (?:instrukcj[ei]|polece(?:nia|n)|zasady?|wskazow(?:ki|ek))',
  ),
  form(
    '(?:ignorera|glom|bortse fran) (?:(?:alla|dina) ){0,2}(?:tidigare|foregaende|ovanstaende) (?:instruktioner|anvisningar|regler)',
  ),
  form('onceki (?:tum )?(?:talimatlari|komutlari|kurallari) (?:yok say|unut|gormezden gel|dikkate alma)'),
];

function form(source: string): RegExp {
  return new RegExp(`\\b(?:${source})`, 'gi');
}
