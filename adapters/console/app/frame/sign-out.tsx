import { type ReactElement, useState } from 'react'
import { type OpenWork, openWork } from '../login/login-end.js'
import { phrases, plural, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { ConfirmDialog } from '../ui/dialogs.js'

const TEXTS = phrases({
  en: {
    signOut: 'Sign out',
    title: 'Sign out now?',
    uploads: (count: number) =>
      plural.en(
        count,
        'One file is not sent yet. If you sign out, its upload is cancelled.',
        `${count} files are not sent yet. If you sign out, their uploads are cancelled.`,
      ),
    deletions: (count: number) =>
      plural.en(
        count,
        'One deleted document can still be restored. If you sign out, it is deleted for good.',
        `${count} deleted documents can still be restored. If you sign out, they are deleted for good.`,
      ),
  },
  de: {
    signOut: 'Abmelden',
    title: 'Jetzt abmelden?',
    uploads: (count) =>
      plural.de(
        count,
        'Eine Datei ist noch nicht gesendet. Wenn du dich abmeldest, wird ihr Upload abgebrochen.',
        `${count} Dateien sind noch nicht gesendet. Wenn du dich abmeldest, werden ihre Uploads abgebrochen.`,
      ),
    deletions: (count) =>
      plural.de(
        count,
        'Ein gelöschtes Dokument lässt sich noch wiederherstellen. Wenn du dich abmeldest, wird es endgültig gelöscht.',
        `${count} gelöschte Dokumente lassen sich noch wiederherstellen. Wenn du dich abmeldest, werden sie endgültig gelöscht.`,
      ),
  },
})

const NOTHING: OpenWork = { uploads: 0, deletions: 0 }

interface SignOutProps {
  readonly isPending: boolean
  readonly onSignOut: () => void
}

/** Signs out. While work is open, it asks first, and says what becomes of it. */
export function SignOut({ isPending, onSignOut }: SignOutProps): ReactElement {
  const texts = useTexts(TEXTS)
  const [isAsking, setAsking] = useState(false)
  // The text of the question stays while it is open, and while it closes.
  const [{ uploads, deletions }, setWork] = useState(NOTHING)
  const press = (): void => {
    const work = openWork()
    setWork(work)
    if (work.uploads + work.deletions > 0) setAsking(true)
    else onSignOut()
  }
  return (
    <>
      <Button kind="quiet" isPending={isPending} onPress={press}>
        {texts.signOut}
      </Button>
      <ConfirmDialog
        title={texts.title}
        action={texts.signOut}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => onSignOut()}
      >
        {uploads > 0 && <p>{texts.uploads(uploads)}</p>}
        {deletions > 0 && <p>{texts.deletions(deletions)}</p>}
      </ConfirmDialog>
    </>
  )
}
