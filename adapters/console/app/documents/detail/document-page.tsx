import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useEffect, useMemo, useRef } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { isRefusal } from '../../api/refusals.js'
import { useLogin } from '../../login/use-login.js'
import { useUserNames } from '../../operate/use-names.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Loaded, Note } from '../../ui/notes.js'
import { BackLink } from '../../ui/page-head.js'
import { useStore } from '../../ui/store.js'
import { ChunkView } from '../chunks/chunk-view.js'
import { type ContextName, type Detailed, isFinal, progressOf, replacementOf, toldOf, valueText } from '../document.js'
import { useListAddress } from '../list/filters.js'
import { UploadList } from '../list/upload-list.js'
import { StateBadge } from '../state-badge.js'
import { TEXTS } from '../texts.js'
import { useContextWork } from '../work/context-work.js'
import { pollMs } from '../work/document-watch.js'
import { DETAIL_TEXTS } from './detail-texts.js'
import { DocumentActions } from './document-actions.js'
import { FailureText } from './failure-text.js'
import { ReceiptView } from './receipt-view.js'

/** One document: what is known of it, what was read, and its text in chunks. */
export function DocumentPage({
  context,
  docId,
}: {
  readonly context: ContextName
  readonly docId: number
}): ReactElement {
  const api = useApi()
  const texts = useTexts(DETAIL_TEXTS)
  const queries = useQueryClient()
  const { watch } = useContextWork(context.id)
  const list = useListAddress(context.id)
  const { byId, isLive, connections } = useStore(watch.watched)
  const state = byId.get(docId)
  const queryKey = useMemo(() => ['document', context.id, docId], [context.id, docId])
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Detailed> => {
      const params = { path: { contextId: context.id, docId } }
      return await dataOf(api.GET('/context/documents/{contextId}/{docId}', { params, signal }))
    },
    refetchInterval: ({ state: { data, error, dataUpdateCount } }) =>
      data !== undefined && !isLive && isChanging(data) && !isRefusal(error) ? pollMs(dataUpdateCount) : false,
  })
  const told = `${connections} ${state?.uuid} ${state?.status} ${state?.isReplacement} ${state?.displayName}`
  const seen = useRef(told)
  useEffect(() => {
    if (seen.current !== told) void queries.invalidateQueries({ queryKey })
    seen.current = told
  }, [told, queries, queryKey])
  return (
    <>
      <BackLink href={list}>{texts.back}</BackLink>
      <Loaded query={query}>
        {(document) => {
          const progress = progressOf(document, state)
          return (
            <>
              <div className="page-head">
                <div className="docs-title">
                  <h2>{document.displayName}</h2>
                  <StateBadge progress={progress} />
                </div>
                <DocumentActions contextId={context.id} document={document} isFailed={progress.stage === 'failed'} />
              </div>
              {[progress.error, toldOf(document.waiting, document.waitingCode)].map(
                (told) =>
                  told != null && (
                    <Note key={told.sentence} kind="warning">
                      <FailureText told={told} />
                    </Note>
                  ),
              )}
              <UploadList contextId={context.id} documents={[document]} docId={docId} />
              <NewVersion document={document} progress={replacementOf(document, state)} />
              <div className="columns">
                <DocumentFacts document={document} />
                <ReceiptView receipt={document.receipt} isOver={isFinal(progress)} />
              </div>
              {document.receipt !== null && (
                <ChunkView key={document.uuid} contextId={context.id} document={document} receipt={document.receipt} />
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function isChanging({ completed, error, replacement }: Detailed): boolean {
  return (completed === null && error === null) || (replacement !== null && replacement.error === null)
}

function NewVersion({
  document: { replacement },
  progress,
}: {
  readonly document: Detailed
  readonly progress: ReturnType<typeof replacementOf>
}): ReactElement | null {
  const texts = useTexts(DETAIL_TEXTS)
  if (progress === undefined || replacement === null || progress.stage === 'completed') return null
  const isFailed = progress.stage === 'failed'
  return (
    <Note kind={isFailed ? 'warning' : 'info'}>
      <h3>{isFailed ? texts.failedVersion : texts.newVersion}</h3>
      <p>{isFailed ? texts.newVersionFailed : texts.newVersionText(replacement.originalName)}</p>
      <StateBadge progress={progress} />
      {progress.error != null && <FailureText told={progress.error} />}
    </Note>
  )
}

/** The facts of a document that the upload or a user has given. */
function DocumentFacts({ document }: { readonly document: Detailed }): ReactElement {
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
