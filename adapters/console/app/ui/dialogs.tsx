import { type ReactElement, type ReactNode, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useErrorText } from '../api/error-texts.js'
import { type Texts, useTexts } from '../texts/language.js'
import { Button } from './buttons.js'

const TEXTS: Texts<{ readonly cancel: string }> = { en: { cancel: 'Cancel' }, de: { cancel: 'Abbrechen' } }

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** Wider, for tables and texts. */
  readonly isWide?: boolean
  readonly role?: 'dialog' | 'alertdialog'
}

/** A window in front of the page. Escape closes it. */
export function Dialog({ title, isOpen, onClose, children, isWide, role = 'dialog' }: DialogProps): ReactElement {
  return (
    <ModalOverlay
      className="overlay"
      isDismissable={role === 'dialog'}
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Modal className={isWide === true ? 'modal modal-wide' : 'modal'}>
        <AriaDialog className="dialog" role={role}>
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  /** What will happen. */
  readonly children: ReactNode
  /** The text of the button that does it, such as "Delete". */
  readonly action: string
  readonly isDanger?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Closes the dialog when it resolves. Its error stays in the dialog, as a sentence. */
  readonly onConfirm: () => Promise<unknown>
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, children, action, isDanger, isOpen, onClose, onConfirm } = props
  const texts = useTexts(TEXTS)
  const errorText = useErrorText()
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const close = (): void => {
    setError(undefined)
    onClose()
  }
  const confirm = async (): Promise<void> => {
    setPending(true)
    try {
      await onConfirm()
      close()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} role="alertdialog">
      <div>{children}</div>
      {error !== undefined && (
        <p role="alert" className="note note-error">
          {errorText(error)}
        </p>
      )}
      <div className="actions">
        <Button onPress={close}>{texts.cancel}</Button>
        <Button kind={isDanger === true ? 'danger' : 'primary'} isPending={isPending} onPress={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
