import type { ReactElement } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Row, Table } from '../../ui/table.js'
import { Fold } from '../fold.js'
import type { Explanation } from '../use-search.js'
import { useFactFormat } from './reason-texts.js'
import { RESULT_TEXTS } from './result-texts.js'

/** Tells how the engine read the question: its words, and the documents that it could search. */
export function QuestionFacts({
  explanations,
  nameOf,
}: {
  readonly explanations: readonly Explanation[]
  readonly nameOf: (contextId: number) => string
}): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  return (
    <Fold title={texts.facts}>
      {explanations.map((explanation) => (
        <section key={explanation.contextId}>
          {explanations.length > 1 && <h3>{nameOf(explanation.contextId)}</h3>}
          <Facts explanation={explanation} />
        </section>
      ))}
    </Fold>
  )
}

function Facts({ explanation }: { readonly explanation: Explanation }): ReactElement {
  const texts = useTexts(RESULT_TEXTS)
  const { number, percent, score } = useFactFormat()
  const { documents, bestSimilarity, model, words } = explanation
  const sentences = [
    texts.searched(number(documents.searchable), number(documents.total)),
    documents.filtered === null ? undefined : texts.filtered(number(documents.filtered)),
    bestSimilarity === null ? undefined : texts.best(score(bestSimilarity)),
    model.knowledge === null ? undefined : texts.knowledge(model.id, percent(model.knowledge)),
  ]
  return (
    <>
      <p>{sentences.filter((sentence) => sentence !== undefined).join(' ')}</p>
      {words.length === 0 ? (
        <p>{texts.noWords}</p>
      ) : (
        <Table
          label={texts.words}
          columns={[
            { name: texts.word },
            { name: texts.documents, isNumber: true },
            { name: texts.chunks, isNumber: true },
          ]}
        >
          {words.map(({ term, word, isQuestionWord, documents: inDocuments, chunks }) => (
            <Row
              key={term}
              cells={[
                <>
                  {word} {isQuestionWord && <span className="hint">{texts.questionWord}</span>}
                </>,
                number(inDocuments),
                number(chunks),
              ]}
            />
          ))}
        </Table>
      )}
    </>
  )
}
