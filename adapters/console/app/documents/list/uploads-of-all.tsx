import type { ReactElement } from 'react'
import { useStore } from '../../ui/store.js'
import { useDocuments } from '../use-documents.js'
import { useContextWork } from '../work/context-work.js'
import { NO_FILTERS } from './filters.js'
import { UploadList } from './upload-list.js'

/** The uploads of a context beside a list whose filters may hide their documents. Reads nothing without uploads. */
export function UploadsOfAll({ contextId }: { readonly contextId: number }): ReactElement | null {
  const { uploads } = useContextWork(contextId)
  return useStore(uploads.uploads).length === 0 ? null : <Uploads contextId={contextId} />
}

function Uploads({ contextId }: { readonly contextId: number }): ReactElement {
  const { documents } = useDocuments(contextId, NO_FILTERS)
  return <UploadList contextId={contextId} documents={documents} />
}
