// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tests use this guard with code. It approves, refuses, burns all the gas, answers with 120,000 bytes, approves in four bytes only, reverts, or
/// approves in every second block.
contract TestGuard {
    enum Manner {
        approve,
        refuse,
        burn,
        shout,
        whisper,
        fail,
        waver
    }

    Manner public immutable manner;

    constructor(Manner manner_) {
        manner = manner_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (manner == Manner.refuse) return 0xffffffff;
        if (manner == Manner.burn) while (true) {}
        if (manner == Manner.fail) revert("TestGuard: no, thank you");
        if (manner == Manner.waver && block.number % 2 == 1) return 0xffffffff;
        if (manner == Manner.shout || manner == Manner.whisper) {
            uint256 length = manner == Manner.shout ? 120_000 : 4;
            assembly {
                mstore(0, shl(224, 0x1626ba7e))
                return(0, length)
            }
        }
        return 0x1626ba7e;
    }
}
