"""What Threat-ADS saves: what is behind scripts/threat_ads."""
