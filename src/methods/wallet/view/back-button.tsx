import { Icon } from '../../../ui/icon.tsx'

export const BackButton = ({ onClick, text }: { onClick: () => void; text: string }) => (
  <button class="link back" onClick={onClick}>
    <Icon name="back" />
    {text}
  </button>
)
