import { useMutation } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type OpenWork, openWork } from '../login/login-end.js'
import { type Capability, tenantAccountsOf, useLogin } from '../login/use-login.js'
import { LanguageChoice } from '../texts/language-provider.js'
import { phrases, plural, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { ConfirmDialog } from '../ui/dialogs.js'
import { Select } from '../ui/form/fields.js'
import { ErrorNote } from '../ui/notes.js'
import { showCurrent } from '../ui/tabs.js'
import { Toasts } from '../ui/toasts.js'
import { useLeave } from './guarded-router.js'
import { RunningUploadsNote } from './running-uploads.js'

type SectionName = 'gpts' | 'search' | 'people' | 'webhooks' | 'operate'

const TEXTS = phrases({
  en: {
    gpts: 'My GPTs',
    search: 'Try a search',
    people: 'People',
    webhooks: 'Webhooks',
    operate: 'Operate',
    skip: 'Skip to the content',
    navigation: 'Sections',
  },
  de: {
    gpts: 'Meine GPTs',
    search: 'Suche ausprobieren',
    people: 'Personen',
    webhooks: 'Webhooks',
    operate: 'Betrieb',
    skip: 'Zum Inhalt springen',
    navigation: 'Bereiche',
  },
})

/** The sections, with the right that each needs. */
export const SECTIONS: readonly { readonly name: SectionName; readonly needs: Capability }[] = [
  { name: 'gpts', needs: 'context:read' },
  { name: 'search', needs: 'search' },
  { name: 'people', needs: 'tenant:manage' },
  { name: 'webhooks', needs: 'webhook:manage' },
  { name: 'operate', needs: 'tenant:manage' },
]

/** The page around each section: navigation, account and sign-out. */
export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const texts = useTexts(TEXTS)
  const { login, logOut, can } = useLogin()
  const [path] = useLocation()
  const leave = useLeave()
  const content = useFocusAfter(path)
  const sections = useRef<HTMLElement>(null)
  useEffect(() => showCurrent(sections.current), [path])
  const signOut = useMutation({ mutationFn: logOut })
  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="frame-header">
        <span className="brand">Alcove</span>
        <nav ref={sections} aria-label={texts.navigation}>
          {SECTIONS.filter(({ needs }) => can(needs)).map(({ name }) => (
            <Link
              key={name}
              href={`/${name}`}
              aria-current={path.startsWith(`/${name}`) ? 'page' : undefined}
              className="frame-link"
            >
              {texts[name]}
            </Link>
          ))}
        </nav>
        <div className="frame-user">
          <RunningUploadsNote />
          <AccountChoice />
          <span className="frame-name">{login.user.name === '' ? login.user.email : login.user.name}</span>
          {login.kind !== 'host' && (
            <SignOut isPending={signOut.isPending} onSignOut={() => leave(() => signOut.mutate())} />
          )}
          <LanguageChoice />
        </div>
      </header>
      {signOut.error !== null && (
        <div className="frame-error">
          <ErrorNote error={signOut.error} onRetry={() => signOut.mutate()} />
        </div>
      )}
      <main id="content" ref={content} tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}

/** After each change of the path, the keyboard goes on in the returned element, unless the new page chose a place in it. */
function useFocusAfter(path: string): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const before = useMemo(() => ({ path, focused: document.activeElement }), [path])
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    const { activeElement } = document
    const isChosen = activeElement !== before.focused && content.current?.contains(activeElement) === true
    if (!isChosen) content.current?.focus()
  }, [before])
  return content
}

const ACCOUNT_CHOICE_TEXTS = phrases({
  en: { account: 'Account', company: 'Managed company' },
  de: { account: 'Konto', company: 'Verwaltete Firma' },
})

/** The sections about a company; the others are about an account with contexts. */
const OF_COMPANY = /^\/(?:people|webhooks|operate)(?:\/|$)/

/** Chooses the account of the present section, or the company that it manages. Nothing without a choice. */
function AccountChoice(): ReactElement | null {
  const texts = useTexts(ACCOUNT_CHOICE_TEXTS)
  const { login, account, chooseAccount, tenantAccount, chooseTenantAccount } = useLogin()
  const [path, navigate] = useLocation()
  const leave = useLeave()
  const isOfCompany = OF_COMPANY.test(path)
  const accounts = isOfCompany
    ? tenantAccountsOf(login)
    : login.accounts.filter(({ application }) => application === 'assistant')
  if (accounts.length < 2) return null
  const chosen = isOfCompany ? tenantAccount : account
  const choose = isOfCompany ? chooseTenantAccount : chooseAccount
  return (
    <Select
      label={isOfCompany ? texts.company : texts.account}
      value={chosen === undefined ? null : String(chosen.id)}
      onChange={(id) =>
        leave(() => {
          choose(Number(id))
          // A GPT belongs to one account: its address leads nowhere in another one.
          if (!isOfCompany && String(account?.id) !== id && path !== '/gpts/new')
            navigate(`/${path.split('/')[1] ?? ''}`)
        })
      }
      choices={accounts.map(({ id, name, customerName }) => ({
        value: String(id),
        label: isOfCompany ? customerName : `${customerName}: ${name}`,
      }))}
    />
  )
}

const SIGN_OUT_TEXTS = phrases({
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
function SignOut({ isPending, onSignOut }: SignOutProps): ReactElement {
  const texts = useTexts(SIGN_OUT_TEXTS)
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
