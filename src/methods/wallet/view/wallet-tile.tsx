import { Mark } from '../../../ui/mark.tsx'

/** A wallet that does not bring its own icon has a mark, or else shows its first letter. */
export const WalletTile = ({ name, icon }: { name: string; icon: string | undefined }) => (
  <span class="tile" aria-hidden="true">
    {icon ? (
      <img src={icon} alt="" />
    ) : (
      <>
        <b>{[...name][0]}</b>
        <Mark of={`w${name.split(' ')[0]}`} />
      </>
    )}
  </span>
)
