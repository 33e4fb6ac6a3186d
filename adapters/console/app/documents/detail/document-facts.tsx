import type { ReactElement } from 'react'
import { useLogin } from '../../login/use-login.js'
import { useUserNames } from '../../operate/use-names.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import type { Detailed } from '../document.js'
import { valueText } from '../metadata.js'
import { TEXTS } from '../texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'

/** The facts of a document that the upload or a user has given. */
export function DocumentFacts({ document }: { readonly document: Detailed }): ReactElement {
  const texts = useTexts(TEXTS)
  const detail = useTexts(DETAIL_TEXTS)
  const format = useFormat()
  const { originalName, contentType, size, created, createdBy, metadata } = document
  const creator = useCreator(createdBy)
  const values = Object.entries(metadata)
  return (
    <section className="panel">
      <h3>{detail.facts}</h3>
      <dl className="facts">
        <dt>{detail.originalName}</dt>
        <dd>{originalName}</dd>
        <dt>{detail.type}</dt>
        <dd>{contentType}</dd>
        <dt>{texts.size}</dt>
        <dd>{format.bytes(size)}</dd>
        <dt>{texts.added}</dt>
        <dd>
          {format.time(created)}, {detail.addedBy(creator)}
        </dd>
        <dt>{texts.metadata}</dt>
        <dd>
          {values.length === 0
            ? detail.none
            : values.map(([key, value]) => (
                <div key={key}>
                  <span className="soft">{key}:</span> {valueText(value)}
                </div>
              ))}
        </dd>
      </dl>
    </section>
  )
}

/** The name of the user who added a document, as far as this user may see it. */
function useCreator(id: number): string {
  const texts = useTexts(DETAIL_TEXTS)
  const { login, can } = useLogin()
  const isOther = id !== login.user.id
  const maySee = can('tenant:manage')
  const [found] = useUserNames(isOther && maySee ? [id] : [])
  if (!isOther) return texts.you
  return found?.name ?? (found?.isGone === true ? texts.removedUser : texts.otherUser)
}
