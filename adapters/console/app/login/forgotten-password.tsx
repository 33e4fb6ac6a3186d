import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../api/api.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { Dialog } from '../ui/dialogs.js'
import { TextField } from '../ui/form/fields.js'
import { Form } from '../ui/form/form.js'
import { ErrorNote, Note } from '../ui/notes.js'

const TEXTS = phrases({
  en: {
    forgotten: 'Forgot the password?',
    title: 'A new password',
    about: 'You get a mail with a link. It also works if you have never set a password.',
    email: 'Your e-mail address',
    send: 'Send the mail',
    sent: 'If the server knows this address, a mail is on its way. If none comes, ask somebody who manages users.',
  },
  de: {
    forgotten: 'Passwort vergessen?',
    title: 'Ein neues Passwort',
    about: 'Du bekommst eine E-Mail mit einem Link. Das geht auch, wenn du noch nie ein Passwort hattest.',
    email: 'Deine E-Mail-Adresse',
    send: 'E-Mail senden',
    sent: 'Wenn der Server diese Adresse kennt, ist eine E-Mail unterwegs. Kommt keine, frag jemanden, der Benutzer verwaltet.',
  },
})

/** A button that asks for the address and requests a mail. The answer does not tell whether the address is known. */
export function ForgottenPassword({ email: typed }: { readonly email: string }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const [isOpen, setOpen] = useState(false)
  const [email, setEmail] = useState(typed)
  const request = useMutation({
    mutationFn: async () => await dataOf(api.POST('/auth/reset', { body: { email } })),
  })
  const open = (): void => {
    setEmail(typed)
    request.reset()
    setOpen(true)
  }
  return (
    <>
      <Button kind="quiet" onPress={open}>
        {texts.forgotten}
      </Button>
      <Dialog title={texts.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>{texts.about}</p>
        <Form onSubmit={() => request.mutate()}>
          <TextField
            label={texts.email}
            type="email"
            autoComplete="username"
            value={email}
            onChange={setEmail}
            isRequired
          />
          <ErrorNote error={request.error} />
          <div role="status">{request.isSuccess && <Note kind="success">{texts.sent}</Note>}</div>
          <Button type="submit" kind="primary" isPending={request.isPending}>
            {texts.send}
          </Button>
        </Form>
      </Dialog>
    </>
  )
}
