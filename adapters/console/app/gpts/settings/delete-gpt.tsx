import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'

const TEXTS = phrases({
  en: {
    title: 'Delete',
    text: 'Removes the GPT with everything that belongs to it.',
    button: 'Delete this GPT …',
    ask: (name: string) => `Delete "${name}"?`,
    lost: 'Its instructions, starter prompts, tools and settings are lost, and all its documents with what a search finds in them. Nobody can bring them back.',
    lostShared: 'It is shared: the other users of the account lose it too.',
    action: 'Delete for good',
    deleted: (name: string) => `"${name}" is deleted.`,
  },
  de: {
    title: 'Löschen',
    text: 'Löscht das GPT mit allem, was dazugehört.',
    button: 'Dieses GPT löschen …',
    ask: (name) => `„${name}“ löschen?`,
    lost: 'Anweisungen, Startfragen, Werkzeuge und Einstellungen gehen verloren, und alle Dokumente mit allem, was eine Suche darin findet. Niemand kann sie zurückholen.',
    lostShared: 'Es ist geteilt: Auch die anderen Benutzer des Kontos verlieren es.',
    action: 'Endgültig löschen',
    deleted: (name) => `„${name}“ ist gelöscht.`,
  },
})

/** Deletes a context, after a question that says what is lost. */
export function DeleteGpt({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    await dataOf(api.DELETE('/context/{contextId}', { params: { path: { contextId: gpt.id } } }))
    toast({ text: texts.deleted(gpt.name) })
    navigate('/gpts')
    queries.removeQueries({ queryKey: [...GPTS, 'list'] })
  }
  return (
    <section className="panel" aria-labelledby="delete-title">
      <h2 id="delete-title">{texts.title}</h2>
      <p>{texts.text}</p>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {texts.button}
      </Button>
      <ConfirmDialog
        title={texts.ask(gpt.name)}
        action={texts.action}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        <p>{texts.lost}</p>
        {gpt.shareState === 1 && <p>{texts.lostShared}</p>}
      </ConfirmDialog>
    </section>
  )
}
