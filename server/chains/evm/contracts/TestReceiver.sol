// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Depending on its manner, this recipient accepts coin, refuses it, burns all the gas, or reverts with 120,000 bytes of data.
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
