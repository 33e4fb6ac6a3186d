import type { ReactElement } from 'react'
import { ServerDetails } from '../../ui/notes.js'
import type { Told } from '../document.js'
import { serverSentence, useDocumentErrorText } from '../error-texts.js'

/** Why a document failed or waits, and what to do. The server's sentence follows: it may know more of the file. */
export function FailureText({ told }: { readonly told: Told }): ReactElement {
  const { failureText } = useDocumentErrorText()
  const text = failureText(told)
  const message = serverSentence(told)
  return (
    <>
      <p>{text}</p>
      {!text.includes(message) && <ServerDetails sentences={[message]} isOpenAtFirst />}
    </>
  )
}
