import { useFormat } from '../../texts/format.js'
import { phrases, useLanguage } from '../../texts/phrases.js'
import type { Explanation } from '../use-search.js'

export type ReasonCode = Explanation['reasons'][number]['code']

/** Writes numbers in the language of the user. */
interface FactFormat {
  readonly number: (value: number, digits?: number) => string
  readonly percent: (fraction: number) => string
  /** With all its digits; default: three, such as 0.731. */
  readonly score: (value: number, digits?: number) => string
}

/** A reason for a short or empty answer: the cause, and what to do. */
type ReasonText = (facts: Explanation, format: FactFormat) => string

export const REASON_TEXTS = phrases({
  en: {
    'model-unavailable': ({ model }) =>
      `The embedding model of this GPT (${model.id}) cannot be used now, so nothing can be searched. Ask somebody who runs the server to look at it.`,
    'other-context': () =>
      'Another GPT that you may read has words of your question which this one does not have. Choose that one, or search both together.',
    'no-documents': () => 'This GPT has no documents. Upload some, then ask again.',
    'filter-excludes-all': ({ documents }, { number }) =>
      `The filter leaves none of the documents (${number(documents.total)}). Change it, or search without it.`,
    'all-failed': ({ documents }, { number }) =>
      `None of the documents could be processed (${number(documents.failed)} failed). The list of documents says why, and how to mend it.`,
    'early-finding-off': () =>
      'Documents are still being processed, and the settings of this GPT hide them until they are complete. Wait, or let them be found early in the settings.',
    'words-only-yet': ({ documents }, { number }) =>
      `Some documents can be found by their words only so far (${number(documents.foundByWordsOnly)}), but this search looks for meaning alone. Wait, or search by words too.`,
    'still-processing': ({ documents }, { number }) =>
      `Documents are still being processed (${number(documents.waiting)} of ${number(documents.total)}). Wait until they are complete, then ask again.`,
    'vectors-missing': ({ documents }, { number }) =>
      `The vectors of the documents (${number(documents.searchable)}) are lost, so their meaning cannot be searched. Ask somebody who runs the server to run "alcove doctor".`,
    'words-not-indexed': ({ documents }, { number }) =>
      `The words of some documents (${number(documents.withoutWords)}) are not indexed yet. Wait, or search by meaning only.`,
    'prompt-without-words': () =>
      'Your question has no word, so only its meaning counts, and nothing is near enough. Name what you look for.',
    'only-question-words': () =>
      'Your question has only words such as “what” and “the”, which say nothing. Name what you look for.',
    'words-not-found': () => 'No document has a word of your question. Use other words, or search by meaning too.',
    'no-evidence': () =>
      'The documents have few words of your question, and nothing near it in meaning. Ask about what they say.',
    'language-unknown': ({ model }, { percent }) =>
      `The embedding model knows little of the language of your question (${percent(model.knowledge ?? 0)} of it), so all similarities are low. Set the least similarity to 0, or give this GPT a model for several languages.`,
    'threshold-too-high': ({ bestSimilarity, scoreThreshold }, { score }) =>
      `The nearest passage has a similarity of ${score(bestSimilarity ?? 0)}, and the least similarity is ${score(scoreThreshold)}. Lower it.`,
  } satisfies Readonly<Record<ReasonCode, ReasonText>>,
  de: {
    'model-unavailable': ({ model }) =>
      `Das Embedding-Modell dieses GPTs (${model.id}) ist gerade nicht benutzbar, deshalb kann nichts durchsucht werden. Bitte jemanden, der den Server betreibt, danach zu sehen.`,
    'other-context': () =>
      'Ein anderes GPT, das du lesen darfst, hat Wörter deiner Frage, die dieses nicht hat. Wähle jenes, oder durchsuche beide zusammen.',
    'no-documents': () => 'Dieses GPT hat keine Dokumente. Lade welche hoch und frage dann noch einmal.',
    'filter-excludes-all': ({ documents }, { number }) =>
      `Der Filter lässt keines der Dokumente (${number(documents.total)}) übrig. Ändere ihn, oder suche ohne ihn.`,
    'all-failed': ({ documents }, { number }) =>
      `Kein Dokument konnte verarbeitet werden (${number(documents.failed)} fehlgeschlagen). Die Liste der Dokumente sagt, warum und was hilft.`,
    'early-finding-off': () =>
      'Dokumente werden noch verarbeitet, und die Einstellungen dieses GPTs verbergen sie, bis sie fertig sind. Warte, oder erlaube in den Einstellungen, sie früh zu finden.',
    'words-only-yet': ({ documents }, { number }) =>
      `Einige Dokumente sind bisher nur über ihre Wörter zu finden (${number(documents.foundByWordsOnly)}), diese Suche sieht aber nur auf die Bedeutung. Warte, oder suche auch nach Wörtern.`,
    'still-processing': ({ documents }, { number }) =>
      `Dokumente werden noch verarbeitet (${number(documents.waiting)} von ${number(documents.total)}). Warte, bis sie fertig sind, und frage dann noch einmal.`,
    'vectors-missing': ({ documents }, { number }) =>
      `Die Vektoren der Dokumente (${number(documents.searchable)}) sind verloren, deshalb ist ihre Bedeutung nicht durchsuchbar. Bitte jemanden, der den Server betreibt, „alcove doctor“ auszuführen.`,
    'words-not-indexed': ({ documents }, { number }) =>
      `Die Wörter einiger Dokumente (${number(documents.withoutWords)}) sind noch nicht im Index. Warte, oder suche nur nach Bedeutung.`,
    'prompt-without-words': () =>
      'Deine Frage hat kein Wort, deshalb zählt nur ihre Bedeutung, und nichts ist nah genug. Nenne, was du suchst.',
    'only-question-words': () =>
      'Deine Frage hat nur Wörter wie „was“ und „der“, die nichts aussagen. Nenne, was du suchst.',
    'words-not-found': () =>
      'Kein Dokument hat ein Wort deiner Frage. Nimm andere Wörter, oder suche auch nach Bedeutung.',
    'no-evidence': () =>
      'Die Dokumente haben kaum Wörter deiner Frage und nichts, was ihr in der Bedeutung nahe kommt. Frage nach dem, was in ihnen steht.',
    'language-unknown': ({ model }, { percent }) =>
      `Das Embedding-Modell kennt wenig von der Sprache deiner Frage (${percent(model.knowledge ?? 0)} davon), deshalb sind alle Ähnlichkeiten klein. Setze die Mindestähnlichkeit auf 0, oder gib diesem GPT ein Modell für mehrere Sprachen.`,
    'threshold-too-high': ({ bestSimilarity, scoreThreshold }, { score }) =>
      `Die nächste Stelle hat eine Ähnlichkeit von ${score(bestSimilarity ?? 0)}, die Mindestähnlichkeit ist ${score(scoreThreshold)}. Senke sie.`,
  },
})

/** Numbers, shares and scores in the language of the user. */
export function useFactFormat(): FactFormat {
  const { language } = useLanguage()
  const { number, percent } = useFormat()
  const score = (value: number, digits = 3): string =>
    new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
  return { number, percent, score }
}
