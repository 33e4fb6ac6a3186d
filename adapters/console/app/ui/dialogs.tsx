import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from './buttons.js'
import { ErrorNote } from './notes.js'

const TEXTS = phrases({
  en: { cancel: 'Cancel', close: 'Close this window' },
  de: { cancel: 'Abbrechen', close: 'Dieses Fenster schließen' },
})

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** Wider, for tables and texts. */
  readonly isWide?: boolean
  readonly role?: 'dialog' | 'alertdialog'
  /** True while nothing may close it: something runs whose end it shows. */
  readonly isHeld?: boolean
}

/** A window in front of the page. Escape closes it, unless it is held. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isWide,
  role = 'dialog',
  isHeld = false,
}: DialogProps): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <ModalOverlay
      className="overlay"
      isDismissable={role === 'dialog' && !isHeld}
      isKeyboardDismissDisabled={isHeld}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open && !isHeld) onClose()
      }}
    >
      <Modal className={isWide === true ? 'modal modal-wide' : 'modal'}>
        <AriaDialog className="dialog" role={role}>
          <div className="dialog-head">
            <Heading slot="title">{title}</Heading>
            {/* A question has its own buttons. */}
            {role === 'dialog' && !isHeld && (
              <Button kind="quiet" aria-label={texts.close} onPress={onClose}>
                ×
              </Button>
            )}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  /** The consequence. */
  readonly children: ReactNode
  /** The text of the button that does it, such as "Delete". */
  readonly action: string
  readonly isDanger?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Closes the dialog when it resolves. Its error stays in the dialog, as a sentence. */
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that cannot be undone. It stays until that has ended. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, children, action, isDanger, isOpen, onClose, onConfirm } = props
  const texts = useTexts(TEXTS)
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  // Another question may be open by the time the answer comes.
  const question = useRef(0)
  useEffect(() => {
    if (!isOpen) return undefined
    setError(undefined)
    return () => {
      question.current += 1
      setPending(false)
    }
  }, [isOpen])
  const confirm = async (): Promise<void> => {
    const asked = question.current
    setPending(true)
    setError(undefined)
    try {
      await onConfirm()
      if (asked === question.current) onClose()
    } catch (thrown) {
      if (asked === question.current) setError(thrown)
    } finally {
      if (asked === question.current) setPending(false)
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} role="alertdialog" isHeld={isPending}>
      <div>{children}</div>
      <ErrorNote error={error} />
      <div className="actions">
        <Button isDisabled={isPending} onPress={onClose}>
          {texts.cancel}
        </Button>
        <Button kind={isDanger === true ? 'danger' : 'primary'} isPending={isPending} onPress={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
