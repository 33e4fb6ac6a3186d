import type { ReactElement } from 'react'
import { useTexts } from '../../texts/language.js'
import { serverSentence, useDocumentErrorText } from '../error-texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'

/** Why a document failed or waits, and what to do. The server's sentence follows: it may know more of the file. */
export function FailureText({ told }: { readonly told: string }): ReactElement {
  const { serverSays } = useTexts(DETAIL_TEXTS)
  const { failureText } = useDocumentErrorText()
  const text = failureText(told)
  const message = serverSentence(told)
  return (
    <>
      <p>{text}</p>
      {!text.includes(message) && (
        <p>
          {serverSays} <span lang="en">{message}</span>
        </p>
      )}
    </>
  )
}
