import type { ReactElement } from 'react'
import { useReason } from '../../api/use-reason.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Note } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import type { Receipt } from '../document.js'
import { TEXTS } from '../texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'

const STAGES = ['extract', 'words', 'embed', 'index', 'total'] as const

/** The receipt of a document: counts, the time of each stage, and the parts that could not be read. */
export function ReceiptView({
  receipt,
  isOver,
}: {
  readonly receipt: Receipt | null
  /** True if no receipt will come any more. */
  readonly isOver: boolean
}): ReactElement {
  const { chunks: chunksName } = useTexts(TEXTS)
  const texts = useTexts(DETAIL_TEXTS)
  const { number } = useFormat()
  const say = useReason()
  if (receipt === null)
    return (
      <section className="panel">
        <h3>{texts.receipt}</h3>
        <p>{isOver ? texts.receiptMissing : texts.receiptWait}</p>
      </section>
    )
  const { pages, recognised, characters, tokens, chunks, windows, windowsReused, embeddingModel, durationsMs } = receipt
  const said = receipt.warnings.map((warning, index) => {
    const reason = receipt.warningReasons[index]
    return { warning, isOfModel: reason?.code === 'language-unknown-to-model', ...say(reason, warning) }
  })
  const unread = said.filter(({ isOfModel }) => !isOfModel)
  return (
    <section className="panel">
      <h3>{texts.receipt}</h3>
      {unread.length > 0 && (
        <Note kind="warning">
          <h4>{texts.warnings}</h4>
          <ul className="docs-warnings">
            {unread.map(({ warning, text, lang }) => (
              <li key={warning} lang={lang}>
                {text}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {said
        .filter(({ isOfModel }) => isOfModel)
        .map(({ warning, text, lang }) => (
          <Note key={warning} kind="warning">
            <p lang={lang}>{text}</p>
          </Note>
        ))}
      <dl className="facts">
        {pages !== null && (
          <>
            <dt>{texts.pages}</dt>
            <dd>{number(pages)}</dd>
          </>
        )}
        {recognised !== undefined && (
          <>
            <dt>{texts.recognised}</dt>
            <dd>{number(recognised)}</dd>
          </>
        )}
        <dt>{texts.characters}</dt>
        <dd>{number(characters)}</dd>
        <dt>{texts.tokens}</dt>
        <dd>{number(tokens)}</dd>
        <dt>{chunksName}</dt>
        <dd>{number(chunks)}</dd>
        <dt>{texts.windows}</dt>
        <dd>{windowsReused === 0 ? number(windows) : texts.windowsText(number(windows), number(windowsReused))}</dd>
        <dt>{texts.model}</dt>
        <dd>{embeddingModel}</dd>
      </dl>
      <div className="docs-durations">
        <Table label={texts.time} columns={[{ name: texts.stage }, { name: texts.time, isNumber: true }]}>
          {STAGES.map((stage) => (
            <Row key={stage} cells={[texts.stageNames[stage], texts.seconds(number(durationsMs[stage] / 1_000, 2))]} />
          ))}
        </Table>
      </div>
      <p className="hint">{texts.overlapping}</p>
    </section>
  )
}
