"""The command `lolli`, also as `python -m lolli`."""

from protocol.entry import main

if __name__ == "__main__":
    main()
