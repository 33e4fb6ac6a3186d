import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import { ProgressBar as AriaProgressBar, Label } from 'react-aria-components'
import { useSaidError } from '../api/error-texts.js'
import { isRefusal } from '../api/refusals.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from './buttons.js'
import { INCOMPLETE } from './form/form.js'

const TEXTS = phrases({
  en: { loading: 'Loading…', again: 'Try again' },
  de: { loading: 'Wird geladen …', again: 'Noch einmal versuchen' },
})

/** An error as a sentence, with the server's reason or details and a button to try again. Nothing without an error. */
export function ErrorNote({
  error,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry?: () => void
}): ReactElement | null {
  const said = useSaidError()
  const texts = useTexts(TEXTS)
  if (error == null) return null
  const { text, reason, detail, isDetailNeeded = false } = said(error)
  return (
    <div role="alert" className="note note-error">
      <p>{text}</p>
      {reason !== undefined && <p>{reason}</p>}
      {detail !== undefined && <ServerDetails key={detail} sentences={[detail]} isOpenAtFirst={isDetailNeeded} />}
      {onRetry !== undefined && <Button onPress={onRetry}>{texts.again}</Button>}
    </div>
  )
}

/** A remark: `info`, `warning` or `success`. */
export function Note({
  kind = 'info',
  children,
}: {
  readonly kind?: 'info' | 'warning' | 'success'
  readonly children: ReactNode
}): ReactElement {
  return <div className={`note note-${kind}`}>{children}</div>
}

/** An empty list that teaches: what belongs here, why, and how to begin. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}): ReactElement {
  return (
    <section className="empty">
      <h2>{title}</h2>
      <div>{children}</div>
      {action}
    </section>
  )
}

/** A line in place of content that comes later. A form waits for it. */
export function Loading(): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <p className="loading" role="status" {...INCOMPLETE}>
      {texts.loading}
    </p>
  )
}

interface LoadedQuery<Data> extends Pick<UseQueryResult<Data>, 'data' | 'error'> {
  readonly refetch: () => unknown
  /** Pages of a list have it: the list shows this error itself, at its end. */
  readonly isFetchNextPageError?: boolean
}

/**
 * The result of a query: a line while it loads, an error as a sentence, or its content. If a later answer fails, the
 * content stays below the error. A refusal takes the content away.
 */
export function Loaded<Data>({
  query,
  children,
}: {
  /** A query of TanStack, of one answer or of pages. */
  readonly query: LoadedQuery<Data>
  readonly children: (data: Data) => ReactNode
}): ReactElement {
  const { data, error, refetch, isFetchNextPageError = false } = query
  const note = error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />
  if (data !== undefined && !isRefusal(error))
    return (
      <>
        {!isFetchNextPageError && note}
        {children(data)}
      </>
    )
  return note === false ? <Loading /> : note
}

/** The progress of some work. @param value 0 to 1; undefined if it is unknown */
export function Progress({
  label,
  value,
}: {
  readonly label: string
  readonly value?: number | undefined
}): ReactElement {
  const percent = value === undefined ? undefined : Math.round(value * 100)
  return (
    <AriaProgressBar className="progress" value={percent ?? 0} isIndeterminate={percent === undefined}>
      <Label>{label}</Label>

      <progress max={100} value={percent} aria-hidden="true" />
    </AriaProgressBar>
  )
}

/** A short state, such as "completed". */
export function Badge({
  kind = 'neutral',
  children,
}: {
  readonly kind?: 'neutral' | 'good' | 'bad' | 'busy'
  readonly children: ReactNode
}): ReactElement {
  return <span className={`badge badge-${kind}`}>{children}</span>
}

const SERVER_DETAILS_TEXTS = phrases({
  en: { details: 'What the server says' },
  de: { details: 'Was der Server sagt (englisch)' },
})

interface ServerDetailsProps {
  /** Sentences of the server, in English. */
  readonly sentences: readonly string[]
  readonly isOpenAtFirst?: boolean
}

/** The server's own sentences, which open by a press: they have facts that the text of the page does not have. */
export function ServerDetails({ sentences, isOpenAtFirst = false }: ServerDetailsProps): ReactElement {
  const { details } = useTexts(SERVER_DETAILS_TEXTS)
  return (
    <details className="server-details" open={isOpenAtFirst}>
      <summary>{details}</summary>
      {sentences.map((each) => (
        <p key={each} lang="en">
          {each}
        </p>
      ))}
    </details>
  )
}
