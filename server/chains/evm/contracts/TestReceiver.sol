// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// This hostile recipient refuses coin, burns all the gas of its call, or reverts with 120,000 bytes of data.
contract TestReceiver {
    enum Manner {
        accept,
        refuse,
        burn,
        shout
    }

    Manner public immutable manner;

    constructor(Manner manner_) {
        manner = manner_;
    }

    fallback() external payable {
        if (manner == Manner.refuse) revert("TestReceiver: no, thank you");
        if (manner == Manner.burn) while (true) {}
        if (manner == Manner.shout) {
            assembly {
                revert(0, 120000)
            }
        }
    }

    receive() external payable {
        if (manner == Manner.refuse) revert("TestReceiver: no, thank you");
        if (manner == Manner.burn) while (true) {}
        if (manner == Manner.shout) {
            assembly {
                revert(0, 120000)
            }
        }
    }
}
