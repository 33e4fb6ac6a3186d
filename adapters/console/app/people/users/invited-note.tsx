import type { ReactElement } from 'react'
import { useInstallation } from '../../api/use-installation.js'
import { useTexts } from '../../texts/phrases.js'
import { ButtonLink } from '../../ui/buttons.js'
import { Note } from '../../ui/notes.js'
import { INVITE_TEXTS } from '../invite/invite-texts.js'

const SETTING = 'alcove serve --smtp-url smtp://USER:PASSWORD@HOST:587 --mail-from ADDRESS'

interface InvitedNoteProps {
  /** The change: a new user with or without an invitation, or another invitation. */
  readonly kind: 'invited' | 'silently' | 'again'
  readonly email: string
}

/** The outcome of an invitation, how the person gets the link, and what comes next. */
export function InvitedNote({ kind, email }: InvitedNoteProps): ReactElement {
  const texts = useTexts(INVITE_TEXTS)
  const { data: installation, isPending } = useInstallation(false)
  // Only managers of the topmost company learn whether the server sends mails.
  const isKept = kind !== 'silently' && installation?.mails === 'kept'
  return (
    <Note kind={isKept ? 'warning' : 'success'}>
      <p>{kind === 'again' ? texts.again : texts.added}</p>
      {kind === 'silently' ? (
        <p>{texts.noMail}</p>
      ) : isKept ? (
        <>
          <p>
            <strong>{texts.kept}</strong> {texts.keptText(email)}
          </p>
          <p>
            {texts.keptSetting} <code>{SETTING}</code>
          </p>
        </>
      ) : (
        !isPending && <p>{installation?.mails === 'sent' ? texts.sent(email) : texts.unsure(email)}</p>
      )}
      {kind !== 'again' && (
        <>
          <p>{texts.next}</p>
          <div className="actions">
            <ButtonLink href="/people/invite">{texts.another}</ButtonLink>
            <ButtonLink href="/people">{texts.all}</ButtonLink>
          </div>
        </>
      )}
    </Note>
  )
}
