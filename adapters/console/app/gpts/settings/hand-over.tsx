import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { AlcoveApiError, dataOf, useApi } from '../../api/api.js'
import { useFieldError } from '../../api/field-errors.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { NumberField, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'

const TEXTS = phrases({
  en: {
    title: 'Hand over to another user',
    text: 'The GPT then belongs to that user, with its documents. For example, if somebody takes over your work.',
    email: 'E-mail address of the user',
    emailHint: 'A user of this company with a right on this account.',
    userId: 'Number of the user',
    userIdHint: 'Ask the user, or somebody who manages users, for the number.',
    give: 'Hand over …',
    unknown: 'No user of this company has this address.',
    ask: (name: string, user: string) => `Hand "${name}" over to ${user}?`,
    user: (id: number) => `user ${id}`,
    consequence: 'You cannot take it back yourself: the new user decides about it from then on.',
    consequencePrivate: 'It is private, so only the new user sees it from then on.',
    action: 'Hand over',
    given: (name: string) => `"${name}" belongs to the other user now.`,
  },
  de: {
    title: 'Jemand anderem übergeben',
    text: 'Das GPT gehört dann dieser Person, mit seinen Dokumenten. Zum Beispiel, wenn jemand deine Arbeit übernimmt.',
    email: 'E-Mail-Adresse des Benutzers',
    emailHint: 'Ein Benutzer dieser Firma mit einem Recht auf dieses Konto.',
    userId: 'Nummer des Benutzers',
    userIdHint: 'Frag den Benutzer nach der Nummer, oder jemanden, der Benutzer verwaltet.',
    give: 'Übergeben …',
    unknown: 'Kein Benutzer dieser Firma hat diese Adresse.',
    ask: (name, user) => `„${name}“ an ${user} übergeben?`,
    user: (id) => `Benutzer ${id}`,
    consequence: 'Du kannst es nicht selbst zurückholen: Ab dann entscheidet der neue Benutzer darüber.',
    consequencePrivate: 'Es ist privat, also sieht es ab dann nur der neue Benutzer.',
    action: 'Übergeben',
    given: (name) => `„${name}“ gehört jetzt der anderen Person.`,
  },
})

interface Receiver {
  readonly id: number
  readonly name: string
}

/** Gives a context to another user: by the address for those who may look users up, or else by the number. */
export function HandOver({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { can, account } = useLogin()
  const [, navigate] = useLocation()
  const [email, setEmail] = useState('')
  const [userId, setUserId] = useState(Number.NaN)
  const [receiver, setReceiver] = useState<Receiver>()
  const byAddress = can('tenant:manage')
  const release = useUnsaved(email.trim() !== '' || !Number.isNaN(userId))
  const finding = useMutation({
    mutationFn: async (): Promise<Receiver> => {
      if (!byAddress) return { id: userId, name: texts.user(userId) }
      const cid = account !== undefined && { cid: account.customerId }
      const query = { email: email.trim(), ...cid }
      const user = await dataOf(api.GET('/tenant/user', { params: { query } }))
      return { id: user.id, name: user.name === '' ? user.email : `${user.name} (${user.email})` }
    },
    onSuccess: setReceiver,
  })
  const give = async ({ id }: Receiver): Promise<void> => {
    const params = { path: { contextId: gpt.id } }
    await dataOf(api.PUT('/context/owner/{contextId}', { params, body: { toUserId: id } }))
    toast({ text: texts.given(gpt.name) })
    release()
    navigate('/gpts')
    queries.removeQueries({ queryKey: GPTS })
  }
  const refused = useFieldError()(finding.error, ['email'])
  const isUnknown = finding.error instanceof AlcoveApiError && finding.error.status === 404
  const error = isUnknown ? texts.unknown : refused?.text
  return (
    <section className="panel" aria-labelledby="hand-over-title">
      <h2 id="hand-over-title">{texts.title}</h2>
      <p>{texts.text}</p>
      <Form onSubmit={() => finding.mutate()}>
        {byAddress ? (
          <TextField
            label={texts.email}
            isRequired
            hint={texts.emailHint}
            value={email}
            onChange={(address) => {
              finding.reset()
              setEmail(address)
            }}
            error={error}
          />
        ) : (
          <NumberField
            label={texts.userId}
            hint={texts.userIdHint}
            value={userId}
            onChange={setUserId}
            error={error}
            minValue={1}
            isRequired
          />
        )}
        {error === undefined && <ErrorNote error={finding.error} />}
        <Button type="submit" isPending={finding.isPending}>
          {texts.give}
        </Button>
      </Form>
      <ConfirmDialog
        title={texts.ask(gpt.name, receiver?.name ?? '')}
        action={texts.action}
        isOpen={receiver !== undefined}
        onClose={() => setReceiver(undefined)}
        onConfirm={async () => {
          if (receiver !== undefined) await give(receiver)
        }}
      >
        <p>{texts.consequence}</p>
        {gpt.shareState === 0 && <p>{texts.consequencePrivate}</p>}
      </ConfirmDialog>
    </section>
  )
}
