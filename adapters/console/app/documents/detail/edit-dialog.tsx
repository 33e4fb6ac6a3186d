import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLeave, useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Dialog } from '../../ui/dialogs.js'
import { TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import type { Detailed } from '../document.js'
import { TEXTS } from '../texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'
import { MetadataFields } from './metadata-fields.js'
import { changesOf, problemOf, toEdited } from './metadata-values.js'

interface EditDialogProps {
  readonly contextId: number
  readonly document: Detailed
  readonly onClose: () => void
}

/** Changes the name and the metadata of a document. It asks before it loses changes. */
export function EditDialog({ contextId, document, onClose }: EditDialogProps): ReactElement {
  // Changes of somebody else stay: only what differs from this is sent.
  const [{ id, displayName, metadata }] = useState(document)
  const api = useApi()
  const queries = useQueryClient()
  const texts = useTexts(DETAIL_TEXTS)
  const { name: nameLabel } = useTexts(TEXTS)
  const [name, setName] = useState(displayName)
  const [initial] = useState(() => toEdited(metadata))
  const [values, setValues] = useState(initial)
  useUnsaved(name !== displayName || JSON.stringify(values) !== JSON.stringify(initial))
  const leave = useLeave()
  const close = (): void => leave(onClose)
  const save = useMutation({
    mutationFn: async () => {
      const changed = { metadata: changesOf(metadata, values) }
      const body = name === displayName ? changed : { ...changed, displayName: name.trim() === '' ? null : name.trim() }
      const params = { path: { contextId, docId: id } }
      await dataOf(api.PATCH('/context/documents/{contextId}/{docId}', { params, body }))
      await queries.invalidateQueries({ queryKey: ['document', contextId, id] })
      void queries.invalidateQueries({ queryKey: ['documents', contextId] })
    },
    onSuccess: onClose,
  })
  const isWrong = values.some((value) => problemOf(value, values) !== undefined)
  return (
    <Dialog title={texts.edit} isOpen onClose={close} isWide>
      <Form
        onSubmit={() => {
          if (!isWrong) save.mutate()
        }}
      >
        <TextField label={nameLabel} hint={texts.nameHint} value={name} onChange={setName} maxLength={255} autoFocus />
        <MetadataFields values={values} onChange={setValues} />
        <ErrorNote error={save.error} />
        <div className="actions">
          <Button onPress={close}>{texts.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {texts.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
