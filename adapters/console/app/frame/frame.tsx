import { useMutation } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { type Capability, useLogin } from '../login/use-login.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { ErrorNote } from '../ui/notes.js'
import { showCurrent } from '../ui/show-current.js'
import { Toasts } from '../ui/toasts.js'
import { AccountChoice } from './account-choice.js'
import { useLeave } from './guarded-router.js'
import { LanguageChoice } from './language-choice.js'
import { RunningUploadsNote } from './running-uploads.js'
import { SignOut } from './sign-out.js'

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
