/** An invoice has no picture of its sender, so the first letter of the name stands for it. */
export const Logo = ({ name }: { name: string }) => (
  <span class="logo" aria-hidden="true">
    {[...name][0]}
  </span>
)
