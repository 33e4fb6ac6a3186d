import { type ReactElement, useEffect, useRef } from 'react'
import type { Schema } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Note } from '../../ui/notes.js'
import { Fact } from '../fact.js'
import { DOCTOR_TEXTS } from './doctor-texts.js'
import { ProblemList } from './problem-list.js'

type VerifyReport = Schema<'VerifyReport'>

const COMMAND = 'alcove doctor --repair'

/** The result of the doctor: problems with their repair, and what was checked. */
export function Report({ report }: { readonly report: VerifyReport }): ReactElement {
  const texts = useTexts(DOCTOR_TEXTS)
  const format = useFormat()
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that cancels is gone, and the keyboard goes on at the result.
  useEffect(() => heading.current?.focus(), [])
  const { problems, checked, isHealthy } = report
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {texts.report}
      </h2>
      <div role="status">
        {isHealthy ? (
          <Note kind="success">{texts.healthy}</Note>
        ) : (
          <Note kind="warning">
            <p>{texts.unhealthy(problems.length)}</p>
            {problems.some(({ isRepairable }) => isRepairable) && (
              <p>
                {texts.repair[0]} <code>{COMMAND}</code> {texts.repair[1]}
              </p>
            )}
            {problems.some(({ isRepairable }) => !isRepairable) && <p>{texts.byHand}</p>}
          </Note>
        )}
      </div>
      {problems.length > 0 && <ProblemList problems={problems} />}
      <section className="panel operate-panel">
        <h3>{texts.checked}</h3>
        <dl className="facts">
          {(Object.keys(texts.counts) as (keyof VerifyReport['checked'])[]).map((part) => (
            <Fact key={part} name={texts.counts[part]}>
              {part === 'bytes' ? format.bytes(checked.bytes) : format.number(checked[part])}
            </Fact>
          ))}
        </dl>
        <div className="actions">
          <CopyButton text={JSON.stringify(report, null, 2)} label={texts.copy} />
        </div>
      </section>
    </>
  )
}
